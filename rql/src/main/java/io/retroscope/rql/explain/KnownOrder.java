// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** Comparisons and sums of values of which only bounds are known. */
final class KnownOrder {
  private KnownOrder() {}

  static Known compare(BinaryOperator operator, Known left, Known right) {
    if (isNull(left) || isNull(right)) {
      return new Known.Exact(NullValue.NULL);
    }
    if (!hasBounds(left) || !hasBounds(right) || family(left) != family(right)) {
      return Known.truths(Known.ANY_TRUTH);
    }
    int truths = 0;
    if (isBelow(left.least(), right.most())) {
      truths |= truth(operator, -1);
    }
    if (isBelow(right.least(), left.most())) {
      truths |= truth(operator, 1);
    }
    if (mayMeet(left, right)) {
      truths |= truth(operator, 0);
    }
    return Known.truths(truths);
  }

  private static boolean isNull(Known known) {
    return known instanceof Known.Exact exact && exact.value() instanceof NullValue;
  }

  private static boolean hasBounds(Known known) {
    Value bound = bound(known);
    return bound != null && !(bound instanceof SetValue) && !(bound instanceof StructValue);
  }

  private static @Nullable Value bound(Known known) {
    return known.least() == null ? known.most() : known.least();
  }

  private static int family(Known known) {
    Value bound = bound(known);
    return bound == null ? -1 : bound.family();
  }

  private static boolean isBelow(@Nullable Value least, @Nullable Value most) {
    return least == null || most == null || least.compareTo(most) < 0;
  }

  private static boolean mayMeet(Known left, Known right) {
    return isAtMost(left.least(), right.most()) && isAtMost(right.least(), left.most());
  }

  private static boolean isAtMost(@Nullable Value least, @Nullable Value most) {
    return least == null || most == null || least.compareTo(most) <= 0;
  }

  private static int truth(BinaryOperator operator, int order) {
    return operator.holds(order) ? Known.TRUE : Known.FALSE;
  }

  /** The sum or difference of two values; nothing is known of other operators. */
  static Known sum(BinaryOperator operator, Known left, Known right) {
    if (operator == BinaryOperator.ADD) {
      return add(left, right);
    }
    return operator == BinaryOperator.SUBTRACT ? subtract(left, right) : Known.Nothing.KNOWN;
  }

  private static Known add(Known left, Known right) {
    return areBounded(left, right)
        ? Known.between(sum(left.least(), right.least()), sum(left.most(), right.most()))
        : Known.Nothing.KNOWN;
  }

  private static Known subtract(Known left, Known right) {
    return areBounded(left, right)
        ? Known.between(
            difference(left.least(), right.most()), difference(left.most(), right.least()))
        : Known.Nothing.KNOWN;
  }

  /** Whether both are LONGs, for which bounds can be added. */
  private static boolean areBounded(Known left, Known right) {
    return bound(left) instanceof LongValue && bound(right) instanceof LongValue;
  }

  private static @Nullable Value sum(@Nullable Value a, @Nullable Value b) {
    if (!(a instanceof LongValue x && b instanceof LongValue y)) {
      return null;
    }
    long sum = x.value() + y.value();
    boolean overflows = ((x.value() ^ sum) & (y.value() ^ sum)) < 0;
    return overflows ? null : Value.of(sum);
  }

  private static @Nullable Value difference(@Nullable Value a, @Nullable Value b) {
    return b instanceof LongValue y && y.value() != Long.MIN_VALUE
        ? sum(a, Value.of(-y.value()))
        : null;
  }

  /** The knowledge that the greatest value minus the least is at least that of two values. */
  static Known atLeastDistance(Value low, Value high) {
    if (low instanceof LongValue && high instanceof LongValue) {
      return Known.between(difference(high, low), null);
    }
    if (low instanceof DoubleValue x && high instanceof DoubleValue y) {
      return Known.between(Value.of(y.value() - x.value()), null);
    }
    return Known.Nothing.KNOWN;
  }
}
