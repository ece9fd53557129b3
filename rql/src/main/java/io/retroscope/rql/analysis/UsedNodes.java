// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
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

  /** Whether NODES is named, which counts every node. */
  private boolean areAllCounted;

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

  /** Returns the nodes on which it depends whether there is a row, whatever the items show. */
  public static UsedNodes ofClauses(AnalyzedQuery query) {
    if (query.query().when().isEmpty()) {
      return of(query);
    }
    UsedNodes used = new UsedNodes();
    Stream.of(
            query.query().forEach().flatMap(ForEach::collection).stream(),
            query.query().compute().stream(),
            query.query().when().stream().flatMap(when -> when.expressions().stream()))
        .flatMap(expressions -> expressions)
        .forEach(expression -> used.add(expression, query.resolution()));
    return used;
  }

  private void add(Expression expression, Resolution resolution) {
    areAllCounted |= expression instanceof Expression.Nodes;
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

  /** Returns whether any value of a node is used, or the node itself. */
  public boolean usesAny(String node) {
    return areAllCounted
        || named.isEmpty()
        || !everywhere.isEmpty()
        || named.values().stream().anyMatch(nodes -> nodes.contains(node));
  }

  /** Returns whether the value of a variable at a node is used, if the query uses the variable. */
  public boolean uses(String log, String variable, String node) {
    Reference reference = new Reference.Variable(log, variable);
    return everywhere.contains(reference)
        || !named.containsKey(reference)
        || named.getOrDefault(reference, Set.of()).contains(node);
  }
}
