package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A query that can be evaluated without looking any name up again.
 *
 * @param query as parsed
 * @param resolution what the names in it stand for, those in {@code items} included
 * @param items the result's columns after the automatic ones: {@code *} spelled out, repeated items
 *     once, then the OUT names that are not among the items already
 * @param variables every variable that is named anywhere in it, in the order of first naming; their
 *     writes make its cuts, together with those of FOR EACH VARIABLE
 * @param declarations what COMPUTE declares, in the order of the text; the index is the slot
 * @param boundSlots how many names are bound at once at most
 */
public record AnalyzedQuery(
    Statement.Query query,
    Resolution resolution,
    List<Item> items,
    Set<Reference.Variable> variables,
    List<Reference.Declared> declarations,
    int boundSlots) {
  /** Copies the collections. */
  public AnalyzedQuery {
    items = List.copyOf(items);
    variables = Collections.unmodifiableSet(new LinkedHashSet<>(variables));
    declarations = List.copyOf(declarations);
  }

  /** A column that the query asks for. */
  public record Item(String heading, Expression expression) {}

  /** Whether it keeps state from cut to cut and so must be walked in order, in one piece. */
  public boolean hasGlobals() {
    return declarations.stream().anyMatch(d -> d.kind() == Expression.DeclarationKind.GLOBAL);
  }

  /** What makes a row: what EMIT says; without it intervals with FOR, cuts otherwise. */
  public Statement.Emit emit() {
    boolean lasting = query.when().map(when -> when.forMicros().isPresent()).orElse(false);
    return query.emit().orElse(lasting ? Statement.Emit.INTERVALS : Statement.Emit.CUTS);
  }

  /** The nodes of AT NODES, empty where every node counts. */
  public List<String> onlyNodes() {
    return query.nodes() instanceof Statement.NodeScope.Listed listed
        ? listed.nodes().stream().map(Identifier::text).distinct().toList()
        : List.of();
  }
}
