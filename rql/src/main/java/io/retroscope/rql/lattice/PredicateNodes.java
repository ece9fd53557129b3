// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.AtNode;
import io.retroscope.rql.ast.Expression.Quantified;
import io.retroscope.rql.ast.NodeReference;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The nodes whose values the parts of a predicate read. Immutable. */
final class PredicateNodes {
  private final List<String> nodes;
  private final Resolution resolution;

  /** Creates a search in a predicate over cuts of these nodes. */
  PredicateNodes(List<String> nodes, Resolution resolution) {
    this.nodes = nodes;
    this.resolution = resolution;
  }

  /** Returns the names of the nodes that an expression reads; empty if it may read any. */
  Optional<Set<String>> named(Expression e) {
    Set<String> named = new HashSet<>();
    return addNamed(e, named) ? Optional.of(named) : Optional.empty();
  }

  private boolean addNamed(Expression e, Set<String> named) {
    if (e instanceof AtNode at
        && at.node() instanceof NodeReference.Named node
        && resolution.bound(at).isEmpty()) {
      named.add(node.name().text());
      return true;
    }
    if (e instanceof Expression.Nodes
        || e instanceof AtNode
        || resolution.variable(e).isPresent()) {
      return false;
    }
    return e.children().stream().allMatch(child -> addNamed(child, named));
  }

  /** Returns whether an expression has the same value in every cut, and no name bound outside. */
  boolean isConstant(Expression e) {
    return named(e).map(Set::isEmpty).orElse(false) && hasNoBoundName(e);
  }

  private boolean hasNoBoundName(Expression e) {
    return resolution.bound(e).isEmpty() && e.children().stream().allMatch(this::hasNoBoundName);
  }

  /** Returns the index of the only node that an expression reads; empty if there are several. */
  Optional<Integer> onlyNode(Expression e) {
    if (nodes.size() == 1) {
      return Optional.of(0);
    }
    return named(e)
        .filter(names -> names.size() <= 1)
        .map(names -> names.isEmpty() ? 0 : nodes.indexOf(names.iterator().next()))
        .filter(index -> index >= 0);
  }

  /**
   * Returns whether a quantifier binds one name to nodes, or to the values of a variable, and its
   * body reads no other node than the bound one.
   */
  boolean isNodeByNode(Quantified e) {
    boolean overNodes = e.collection() instanceof Expression.Nodes;
    return e.variables().size() == 1
        && (overNodes || resolution.variable(e.collection()).isPresent())
        && readsOnly(e.body(), resolution.firstSlot(e), overNodes);
  }

  private boolean readsOnly(Expression e, int slot, boolean overNodes) {
    if (e instanceof AtNode at && resolution.variable(at.variable()).isPresent()) {
      return overNodes
          && resolution.bound(at).map(Reference.Bound::slot).filter(s -> s == slot).isPresent();
    }
    if (e instanceof Expression.Nodes
        || e instanceof AtNode
        || resolution.variable(e).isPresent()) {
      return false;
    }
    return e.children().stream().allMatch(child -> readsOnly(child, slot, overNodes));
  }

  /** Returns the argument of a call of an aggregate with one; empty for other expressions. */
  static Optional<Expression> aggregate(Expression e, Aggregate function) {
    return e instanceof Expression.Call call
            && !call.distinct()
            && call.arguments().size() == 1
            && RqlFunction.named(call.function().text()).filter(f -> f == function).isPresent()
        ? Optional.of(call.arguments().get(0))
        : Optional.empty();
  }
}
