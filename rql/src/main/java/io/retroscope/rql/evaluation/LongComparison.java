// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import java.util.Arrays;

/**
 * A comparison of two terms. Those of a LONG and a DOUBLE are left to the evaluator if the LONG is
 * so far from zero that the nearest DOUBLE may differ from it.
 */
record LongComparison(BinaryOperator operator, LongTerm left, LongTerm right) implements QuietRule {
  @Override
  public int truths() {
    int kind = left.read() | right.read();
    if (kind != LongTerm.KNOWN) {
      return kind == LongTerm.NULL ? NULL : UNKNOWN;
    }
    if (areMixed()) {
      return areExact(left) && areExact(right) ? ofDoubles() : UNKNOWN;
    }
    return areComparable() ? truths(operator, left.low, left.high, right.low, right.high) : UNKNOWN;
  }

  private int ofDoubles() {
    return truths(
        operator,
        DoubleLoops.number(left.lowDouble()),
        DoubleLoops.number(left.highDouble()),
        DoubleLoops.number(right.lowDouble()),
        DoubleLoops.number(right.highDouble()));
  }

  private static boolean areExact(LongTerm term) {
    return term.type != ValueType.LONG
        || (-DoubleLoops.MAX_EXACT <= term.low && term.high <= DoubleLoops.MAX_EXACT);
  }

  /** The truths of a comparison of numbers from a to b with numbers from c to d. */
  static int truths(BinaryOperator operator, long a, long b, long c, long d) {
    return switch (operator) {
      case LESS -> order(b < c, a < d);
      case LESS_OR_EQUAL -> order(b <= c, a <= d);
      case GREATER -> order(a > d, b > c);
      case GREATER_OR_EQUAL -> order(a >= d, b >= c);
      case EQUAL -> order(a == b && c == d && a == c, a <= d && c <= b);
      case NOT_EQUAL -> order(a > d || c > b, a != b || c != d || a != c);
      default -> throw new AssertionError("no comparison: " + operator);
    };
  }

  private static int order(boolean always, boolean ever) {
    return always ? TRUE : ever ? TRUE | FALSE : FALSE;
  }

  @Override
  public boolean evaluate(Stretch stretch, byte[] to) {
    int size = stretch.size();
    int kind = left.readEach(stretch) | right.readEach(stretch);
    if (kind == LongTerm.NULL) {
      Arrays.fill(to, 0, size, (byte) NULL);
      return true;
    }
    if (kind != LongTerm.KNOWN) {
      return false;
    }
    if (areMixed()) {
      boolean exact = areExact(left, size) && areExact(right, size);
      if (exact) {
        LongLoops.compare(operator, left.eachDouble(size), right.eachDouble(size), size, to);
      }
      return exact;
    }
    if (areComparable()) {
      LongLoops.compare(operator, left.each, right.each, size, to);
      return true;
    }
    return false;
  }

  private static boolean areExact(LongTerm term, int size) {
    return term.type != ValueType.LONG || DoubleLoops.areExact(term.each, size);
  }

  private boolean areMixed() {
    return left.type != right.type && left.isNumber() && right.isNumber();
  }

  /** Whether the values have one type, and their numbers the order of the values if it matters. */
  private boolean areComparable() {
    boolean isEquality = operator == BinaryOperator.EQUAL || operator == BinaryOperator.NOT_EQUAL;
    return left.type == right.type && (isEquality || left.isNumber());
  }
}
