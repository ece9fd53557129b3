package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.NodeReference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The nodes whose values of a variable a query uses: those that it names, if it names the variable
 * only as {@code v@node}, otherwise all. Immutable.
 */
public final class UsedNodes {
  private final Map<Reference, Set<String>> named = new HashMap<>();
  private final Set<Reference> everywhere = new HashSet<>();

  private UsedNodes() {}

  /** Returns the nodes that an analyzed query uses. */
  public static UsedNodes of(AnalyzedQuery query) {
    UsedNodes used = new UsedNodes();
    Stream.concat(
            query.query().expressions().stream(),
            query.items().stream().map(AnalyzedQuery.Item::expression))
        .forEach(expression -> used.add(expression, query.resolution()));
    return used;
  }

  private void add(Expression expression, Resolution resolution) {
    if (expression instanceof Expression.AtNode at
        && at.node() instanceof NodeReference.Named node
        && resolution.bound(at).isEmpty()
        && resolution.variable(at.variable()).isPresent()) {
      named
          .computeIfAbsent(resolution.variable(at.variable()).get(), v -> new HashSet<>())
          .add(node.name().text());
      return;
    }
    resolution.variable(expression).ifPresent(everywhere::add);
    List<Expression> children = expression.children();
    children.forEach(child -> add(child, resolution));
  }

  /** Returns whether the value of a variable at a node is used, if the query uses the variable. */
  public boolean uses(String log, String variable, String node) {
    Reference reference = new Reference.Variable(log, variable);
    return everywhere.contains(reference)
        || !named.containsKey(reference)
        || named.getOrDefault(reference, Set.of()).contains(node);
  }
}
