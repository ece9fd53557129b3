// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A query that can be evaluated without further name lookups.
 *
 * @param query as parsed
 * @param resolution the meaning of its names, including those in {@code items}
 * @param items the result's columns after the automatic ones: {@code *} expanded, without
 *     repetitions, then the OUT names that are not selected already
 * @param variables every variable that the query names, in the order of first use; their writes
 *     make its cuts, together with those of FOR EACH VARIABLE
 * @param declarations the names that COMPUTE declares, in the order of the text; the index is the
 *     slot
 * @param boundSlots the maximum number of names that are bound at once
 * @param doubts reasons for warnings
 * @param declaredTypes the names of the types that DECLARE gives to some of the variables
 */
public record AnalyzedQuery(
    Statement.Query query,
    Resolution resolution,
    List<Item> items,
    Set<Reference.Variable> variables,
    List<Reference.Declared> declarations,
    int boundSlots,
    List<Doubt> doubts,
    Map<Reference.Variable, String> declaredTypes)
    implements AnalyzedSelection {
  /** Copies the collections. */
  public AnalyzedQuery {
    items = List.copyOf(items);
    variables = Collections.unmodifiableSet(new LinkedHashSet<>(variables));
    declarations = List.copyOf(declarations);
    doubts = List.copyOf(doubts);
    declaredTypes = Map.copyOf(declaredTypes);
  }

  /** Returns the same query, whose variables have the types among the given ones. */
  AnalyzedQuery withTypes(Map<Reference.Variable, String> types) {
    Map<Reference.Variable, String> own = new HashMap<>(types);
    own.keySet().retainAll(variables);
    return new AnalyzedQuery(
        query, resolution, items, variables, declarations, boundSlots, doubts, own);
  }

  /**
   * A reason why the query, although valid, hardly means what it says.
   *
   * @param sentence a warning
   * @param ofCuts whether it concerns only queries that walk from cut to cut
   */
  public record Doubt(String sentence, boolean ofCuts) {}

  /** The warnings about the query if it walks from cut to cut. */
  public List<String> warnings() {
    return doubts.stream().map(Doubt::sentence).toList();
  }

  /** The warnings about the query if it is evaluated at one cut. */
  public List<String> warningsAtOneCut() {
    return doubts.stream().filter(doubt -> !doubt.ofCuts()).map(Doubt::sentence).toList();
  }

  /** A column that the query selects. */
  public record Item(String heading, Expression expression) {}

  /**
   * Whether the query keeps state from cut to cut, so that its cuts must be walked in order and in
   * one piece.
   */
  public boolean hasGlobals() {
    return declarations.stream().anyMatch(d -> d.kind() == Expression.DeclarationKind.GLOBAL);
  }

  /** The clause THEN or AFTER. */
  public Optional<Response> response() {
    return query.when().flatMap(Statement.When::response);
  }

  /**
   * The form of the rows: that of EMIT, or by default INTERVALS with FOR, THEN or AFTER, and CUTS
   * otherwise.
   */
  public Statement.Emit emit() {
    return emit(query);
  }

  /** The form of the rows of a query. */
  static Statement.Emit emit(Statement.Query query) {
    boolean lasting =
        query
            .when()
            .map(when -> when.forMicros().isPresent() || when.response().isPresent())
            .orElse(false);
    return query.emit().orElse(lasting ? Statement.Emit.INTERVALS : Statement.Emit.CUTS);
  }

  @Override
  public List<OutputColumn> columns() {
    List<OutputColumn> columns =
        new ArrayList<>(AutomaticColumns.before(emit(), response().isPresent()));
    for (Item item : items) {
      Type type = resolution.isCollection(item.expression()) ? Type.COLLECTION : Type.ANY;
      columns.add(new OutputColumn(item.heading(), false, type));
    }
    if (namesMissing()) {
      columns.add(AutomaticColumns.missing());
    }
    return columns;
  }

  /** Whether a row names the nodes that are left out of its cut. */
  public boolean namesMissing() {
    return query.stream() || query.nodes().isLive();
  }

  @Override
  public AnalyzedQuery walk() {
    return this;
  }

  /** The nodes of AT NODES; empty if every node is included. */
  public List<String> onlyNodes() {
    return query.nodes().nodes().stream().map(Identifier::text).distinct().toList();
  }
}
