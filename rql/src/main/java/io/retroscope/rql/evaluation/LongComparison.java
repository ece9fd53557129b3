package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A comparison of two terms. */
record LongComparison(BinaryOperator operator, LongTerm left, LongTerm right) implements QuietRule {
  @Override
  public int truths() {
    int kind = left.read() | right.read();
    if (kind != LongTerm.KNOWN) {
      return kind == LongTerm.NULL ? NULL : UNKNOWN;
    }
    if (!areComparable()) {
      return UNKNOWN;
    }
    return switch (operator) {
      case LESS -> order(left.high < right.low, left.low < right.high);
      case LESS_OR_EQUAL -> order(left.high <= right.low, left.low <= right.high);
      case GREATER -> order(left.low > right.high, left.high > right.low);
      case GREATER_OR_EQUAL -> order(left.low >= right.high, left.high >= right.low);
      case EQUAL -> order(areEqual(), mayBeEqual());
      case NOT_EQUAL -> order(!mayBeEqual(), !areEqual());
      default -> throw new AssertionError("no comparison: " + operator);
    };
  }

  @Override
  public boolean evaluate(Stretch stretch, byte[] to) {
    int kind = left.readEach(stretch) | right.readEach(stretch);
    if (kind == LongTerm.KNOWN) {
      if (!areComparable()) {
        return false;
      }
      LongLoops.compare(operator, left.each, right.each, stretch.size(), to);
    } else if (kind == LongTerm.NULL) {
      Arrays.fill(to, 0, stretch.size(), (byte) NULL);
    }
    return kind <= LongTerm.NULL;
  }

  /** Whether the values have one type, and their numbers the order of the values if it matters. */
  private boolean areComparable() {
    boolean isEquality = operator == BinaryOperator.EQUAL || operator == BinaryOperator.NOT_EQUAL;
    return left.type == right.type
        && (isEquality || left.type == ValueType.LONG || left.type == ValueType.DOUBLE);
  }

  private boolean areEqual() {
    return left.low == left.high && right.low == right.high && left.low == right.low;
  }

  private boolean mayBeEqual() {
    return left.low <= right.high && right.low <= left.high;
  }

  private static int order(boolean always, boolean ever) {
    return always ? TRUE : ever ? TRUE | FALSE : FALSE;
  }

  /** The limit up to which the comparison is surely not TRUE. */
  @Override
  public @Nullable Limit limit() {
    return limit(false);
  }

  /** The limit up to which the comparison is surely TRUE, which never is so for NULL. */
  @Override
  public @Nullable Limit limitWhileTrue() {
    return limit(true);
  }

  private @Nullable Limit limit(boolean whileTrue) {
    boolean isMirrored = left instanceof LongTerm.Constant;
    Object key = (isMirrored ? right : left).key();
    if (key == null || !((isMirrored ? left : right) instanceof LongTerm.Constant constant)) {
      return null;
    }
    long bound = constant.low;
    BinaryOperator order = isMirrored ? Extremes.mirrored(operator) : operator;
    // The comparison is TRUE above a bound, or below one.
    return switch (order) {
      case GREATER -> limit(key, whileTrue, true, bound, 1);
      case GREATER_OR_EQUAL -> limit(key, whileTrue, true, bound, 0);
      case LESS -> limit(key, whileTrue, false, bound, -1);
      case LESS_OR_EQUAL -> limit(key, whileTrue, false, bound, 0);
      default -> null;
    };
  }

  /**
   * The limit of a comparison that is TRUE from a number on.
   *
   * @param upwards whether it is TRUE for greater numbers
   * @param step from the bound to the first number for which it is TRUE
   */
  private static @Nullable Limit limit(
      Object key, boolean whileTrue, boolean upwards, long bound, int step) {
    long distance = whileTrue ? step : step - (upwards ? 1 : -1);
    long limit = bound + distance;
    boolean overflows = distance > 0 ? limit < bound : limit > bound;
    return overflows ? null : new Limit(key, whileTrue, upwards != whileTrue, limit);
  }
}
