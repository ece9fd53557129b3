// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.VariableColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operators {@code + - * / %} over LONGs and DOUBLEs. A result that has no value, as after an
 * overflow or a division by zero, is left to the evaluator, which fails. Used by one thread.
 */
final class ArithmeticTerm extends LongTerm {
  /*
   * All operations but the remainder are monotonic in each operand between the zeros of a divisor,
   * and so is the rounding of a LONG to a whole quotient and of a DOUBLE to the nearest one. So the
   * extremes are among the results for the bounds of the operands, and no result is infinite if none
   * of these is.
   */
  private final BinaryOperator operator;
  private final LongTerm left;
  private final LongTerm right;

  ArithmeticTerm(BinaryOperator operator, LongTerm left, LongTerm right) {
    this.operator = operator;
    this.left = left;
    this.right = right;
  }

  /** The term {@code -operand}. */
  static ArithmeticTerm negated(LongTerm operand) {
    return new ArithmeticTerm(BinaryOperator.SUBTRACT, new LongTerm.Constant(0), operand);
  }

  @Override
  int read() {
    int kind = kind(left.read() | right.read());
    if (kind != KNOWN) {
      return kind;
    }
    return (type == ValueType.LONG ? readLongs() : readDoubles()) ? KNOWN : UNKNOWN;
  }

  @Override
  int readEach(Stretch stretch) {
    int kind = kind(left.readEach(stretch) | right.readEach(stretch));
    if (kind != KNOWN) {
      return kind;
    }
    ensureSize(stretch);
    return type == ValueType.LONG ? eachLong(stretch.size()) : eachDouble(stretch.size(), each);
  }

  /** The kind of the result, whose type is set, from those of both operands. */
  private int kind(int ofOperands) {
    if (ofOperands == KNOWN && !(left.isNumber() && right.isNumber())) {
      return UNKNOWN;
    }
    boolean areLongs = left.type == ValueType.LONG && right.type == ValueType.LONG;
    type = areLongs ? ValueType.LONG : ValueType.DOUBLE;
    return Math.min(ofOperands, UNKNOWN);
  }

  private int eachLong(int size) {
    return switch (operator) {
      case ADD -> LongLoops.add(left.each, right.each, size, each);
      case SUBTRACT -> LongLoops.subtract(left.each, right.each, size, each);
      case MULTIPLY -> LongLoops.multiply(left.each, right.each, size, each);
      case DIVIDE -> LongLoops.divide(left.each, right.each, size, each);
      case REMAINDER -> LongLoops.remainder(left.each, right.each, size, each);
      default -> throw noRule();
    };
  }

  private int eachDouble(int size, long[] to) {
    long[] a = left.eachDouble(size);
    long[] b = right.eachDouble(size);
    return switch (operator) {
      case ADD -> DoubleLoops.add(a, b, size, to);
      case SUBTRACT -> DoubleLoops.subtract(a, b, size, to);
      case MULTIPLY -> DoubleLoops.multiply(a, b, size, to);
      case DIVIDE -> DoubleLoops.divide(a, b, size, to);
      case REMAINDER -> DoubleLoops.remainder(a, b, size, to);
      default -> throw noRule();
    };
  }

  private AssertionError noRule() {
    return new AssertionError("no rule for " + operator);
  }

  @Override
  @Nullable Object key() {
    Object a = left.key();
    Object b = right.key();
    return a == null || b == null ? null : List.of(operator, a, b);
  }

  /** Finds bounds of DOUBLEs; returns false if a result may not be finite. */
  private boolean readDoubles() {
    double a = left.lowDouble();
    double b = left.highDouble();
    double c = right.lowDouble();
    double d = right.highDouble();
    boolean mayDivideByZero = c <= 0 && d >= 0;
    return switch (operator) {
      case ADD -> setDoubles(a + c, b + d);
      case SUBTRACT -> setDoubles(a - d, b - c);
      case MULTIPLY -> setDoubles(a * c, a * d, b * c, b * d);
      case DIVIDE -> !mayDivideByZero && setDoubles(a / c, a / d, b / c, b / d);
      case REMAINDER -> !mayDivideByZero && setRemainder(a, b, c, d);
      default -> throw noRule();
    };
  }

  /** The remainder has the sign of the dividend, and is nearer to zero than the divisor. */
  private boolean setRemainder(double a, double b, double c, double d) {
    if (a == b && c == d) {
      return setDoubles(a % c, a % c);
    }
    double divisor = Math.max(Math.abs(c), Math.abs(d));
    return setDoubles(a >= 0 ? 0 : Math.max(a, -divisor), b <= 0 ? 0 : Math.min(b, divisor));
  }

  private boolean setDoubles(double a, double b, double c, double d) {
    return setDoubles(
        Math.min(Math.min(a, b), Math.min(c, d)), Math.max(Math.max(a, b), Math.max(c, d)));
  }

  private boolean setDoubles(double least, double most) {
    low = DoubleLoops.number(least);
    high = DoubleLoops.number(most);
    return least >= -Double.MAX_VALUE && most <= Double.MAX_VALUE;
  }

  /** Finds bounds of LONGs; returns false if a result may not fit. */
  private boolean readLongs() {
    return switch (operator) {
      case ADD -> add(left.low, right.low, left.high, right.high);
      case SUBTRACT -> subtract();
      case MULTIPLY -> multiply();
      case DIVIDE -> divide();
      case REMAINDER -> remainder();
      default -> throw noRule();
    };
  }

  private boolean add(long a, long b, long c, long d) {
    low = a + b;
    high = c + d;
    return ((a ^ low) & (b ^ low)) >= 0 && ((c ^ high) & (d ^ high)) >= 0;
  }

  private boolean subtract() {
    low = left.low - right.high;
    high = left.high - right.low;
    boolean fits =
        ((left.low ^ right.high) & (left.low ^ low)) >= 0
            && ((left.high ^ right.low) & (left.high ^ high)) >= 0;
    VariableColumn column = left.atNodeOf();
    if (fits && column != null && column == right.atNodeOf()) {
      limitBySpread(column);
    }
    return fits;
  }

  /** Two nodes differ by no more than the spread of all. */
  private void limitBySpread(VariableColumn column) {
    long spread =
        column.bounds().isStretch() && column.isAllLong() ? column.bounds().spreadHigh() : -1;
    if (spread >= 0) {
      low = Math.max(low, -spread);
      high = Math.min(high, spread);
    }
  }

  private boolean multiply() {
    setLongs(
        left.low * right.low, left.low * right.high, left.high * right.low, left.high * right.high);
    return fits(left.low, right.low)
        && fits(left.low, right.high)
        && fits(left.high, right.low)
        && fits(left.high, right.high);
  }

  private static boolean fits(long a, long b) {
    return Math.multiplyHigh(a, b) == (a * b) >> (Long.SIZE - 1);
  }

  private boolean divide() {
    boolean mayDivideByZero = right.low <= 0 && right.high >= 0;
    boolean mayOverflow = left.low == Long.MIN_VALUE && right.high == -1;
    if (mayDivideByZero || mayOverflow) {
      return false;
    }
    setLongs(
        left.low / right.low, left.low / right.high, left.high / right.low, left.high / right.high);
    return true;
  }

  private void setLongs(long a, long b, long c, long d) {
    low = Math.min(Math.min(a, b), Math.min(c, d));
    high = Math.max(Math.max(a, b), Math.max(c, d));
  }

  private boolean remainder() {
    if (left.low == left.high && right.low == right.high && right.low != 0) {
      low = left.low % right.low;
      high = low;
      return true;
    }
    if (right.low <= 0) {
      return false;
    }
    low = left.low >= 0 ? 0 : Math.max(left.low, 1 - right.high);
    high = left.high <= 0 ? 0 : Math.min(left.high, right.high - 1);
    return true;
  }
}
