// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Binary;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.evaluation.Types;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The search for a consistent cut at which two values of a variable that never falls differ by
 * enough: {@code SPREAD(x) >= c}, or {@code MAX(x) - MIN(x) >= c}. It takes O(n²m) steps for n
 * nodes with m states each.
 */
final class SpreadSearch {
  /*
   * If the value of one node is the larger one, then the cut with the fewest other states shows the
   * least values of all other nodes: the past of that node's state. A node that has no value there
   * shows its least one in the first state that has one.
   */
  private SpreadSearch() {}

  /** Returns the variable of a predicate of this form; empty for others. */
  static Optional<Reference.Variable> variable(Expression e, Resolution resolution) {
    boolean grows =
        e instanceof Binary comparison
            && (comparison.operator() == BinaryOperator.GREATER
                || comparison.operator() == BinaryOperator.GREATER_OR_EQUAL)
            && isPositive(comparison.right());
    if (!grows) {
      return Optional.empty();
    }
    Expression side = ((Binary) e).left();
    Optional<Reference.Variable> spread =
        PredicateNodes.aggregate(side, Aggregate.SPREAD).flatMap(resolution::variable);
    if (spread.isPresent()
        || !(side instanceof Binary difference)
        || difference.operator() != BinaryOperator.SUBTRACT) {
      return spread;
    }
    Optional<Reference.Variable> most =
        PredicateNodes.aggregate(difference.left(), Aggregate.MAX).flatMap(resolution::variable);
    Optional<Reference.Variable> least =
        PredicateNodes.aggregate(difference.right(), Aggregate.MIN).flatMap(resolution::variable);
    return most.equals(least) ? most : Optional.empty();
  }

  /** One value alone has the spread 0. */
  private static boolean isPositive(Expression e) {
    return e instanceof Expression.Literal literal
        && literal.value() instanceof Value.NumberValue
        && literal.value().compareTo(Value.of(0)) > 0;
  }

  /** Whether a variable has only numbers, of which no node's ever falls or disappears. */
  static boolean neverFalls(Computation computation, int variable) {
    for (List<Computation.State> states : computation.states()) {
      Value before = null;
      for (Computation.State state : states) {
        Value value = state.values()[variable];
        boolean falls = before != null && (value == null || value.compareTo(before) < 0);
        if (falls || !isNumber(value)) {
          return false;
        }
        before = value;
      }
    }
    return true;
  }

  /** Whether a value is a number or missing. */
  static boolean isNumber(@Nullable Value value) {
    return value == null
        || (value instanceof Value.NumberValue number && !Double.isNaN(number.nearest()));
  }

  /**
   * Searches for the least cut.
   *
   * @param pairs the predicate over cuts of two nodes
   */
  static SearchResult search(
      Computation computation, int variable, BiFunction<Integer, Integer, CutPredicate> pairs) {
    int[] least = null;
    for (int larger = 0; larger < computation.size(); larger++) {
      for (int smaller = 0; smaller < computation.size(); smaller++) {
        if (larger != smaller) {
          int[] found = first(computation, larger, smaller, variable, pairs.apply(larger, smaller));
          if (found != null && (least == null || SearchResult.ORDER.compare(found, least) < 0)) {
            least = found;
          }
        }
      }
    }
    return least == null ? SearchResult.NONE : SearchResult.at(least);
  }

  private static int @Nullable [] first(
      Computation computation, int larger, int smaller, int variable, CutPredicate predicate) {
    int present = 0;
    while (present <= computation.last(smaller)
        && computation.state(smaller, present).values()[variable] == null) {
      present++;
    }
    if (present > computation.last(smaller)) {
      return null;
    }
    int[] least = null;
    for (int state = 0; state <= computation.last(larger); state++) {
      int[] cut = past(computation, larger, state);
      if (cut[smaller] < present) {
        if (computation.required(smaller, present, larger) > state) {
          continue;
        }
        cut = join(cut, past(computation, smaller, present));
      }
      boolean better = least == null || SearchResult.ORDER.compare(cut, least) < 0;
      if (better && Types.isTrue(predicate.at(cut))) {
        least = cut;
      }
    }
    return least;
  }

  private static int[] past(Computation computation, int node, int state) {
    int[] cut = computation.state(node, state).past().clone();
    cut[node] = state;
    return cut;
  }

  private static int[] join(int[] a, int[] b) {
    int[] cut = a.clone();
    for (int node = 0; node < cut.length; node++) {
      cut[node] = Math.max(a[node], b[node]);
    }
    return cut;
  }
}
