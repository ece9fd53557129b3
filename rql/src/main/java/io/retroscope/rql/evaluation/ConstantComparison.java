// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.TextTable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A comparison of a term with a constant, to whose type that of the term may be similar or not. */
final class ConstantComparison implements QuietRule {
  /** The DOUBLEs up to which the LONG below is exact. */
  private static final double MAX_BOUND = 0x1p62;

  private final LongTerm term;

  /* What is compared with a value of each type that the constant can be compared with. */
  private final List<Bound> bounds;

  /**
   * A comparison of values of a type.
   *
   * @param number that of the constant, or of another one with the same result
   */
  private record Bound(ValueType type, BinaryOperator operator, long number) {
    /** Compares DOUBLEs with a constant. */
    static Bound ofDoubles(BinaryOperator operator, double constant) {
      return new Bound(ValueType.DOUBLE, operator, DoubleLoops.number(constant));
    }

    /** Compares LONGs with the LONG below a constant, so that the result is exact. */
    static Bound ofLongs(BinaryOperator operator, double constant) {
      long below = (long) Math.floor(constant);
      if (constant == below) {
        return new Bound(ValueType.LONG, operator, below);
      }
      return switch (operator) {
        case GREATER, GREATER_OR_EQUAL -> new Bound(ValueType.LONG, BinaryOperator.GREATER, below);
        case LESS, LESS_OR_EQUAL -> new Bound(ValueType.LONG, BinaryOperator.LESS_OR_EQUAL, below);
        case EQUAL -> new Bound(ValueType.LONG, BinaryOperator.LESS, Long.MIN_VALUE); // never
        case NOT_EQUAL ->
            new Bound(ValueType.LONG, BinaryOperator.GREATER_OR_EQUAL, Long.MIN_VALUE); // always
        default -> throw new AssertionError("no comparison: " + operator);
      };
    }
  }

  private ConstantComparison(LongTerm term, Bound... bounds) {
    this.term = term;
    this.bounds = List.of(bounds);
  }

  /** Returns the rule, or null if there is none for the constant and the operator. */
  static @Nullable QuietRule of(BinaryOperator operator, LongTerm term, Value constant) {
    if (constant instanceof LongValue whole) {
      long number = whole.value();
      Bound ofLongs = new Bound(ValueType.LONG, operator, number);
      return isExact(number)
          ? new ConstantComparison(term, ofLongs, Bound.ofDoubles(operator, (double) number))
          : new ConstantComparison(term, ofLongs);
    }
    if (constant instanceof DoubleValue fraction) {
      double number = fraction.value();
      return Math.abs(number) < MAX_BOUND
          ? new ConstantComparison(
              term, Bound.ofLongs(operator, number), Bound.ofDoubles(operator, number))
          : null;
    }
    boolean isEquality = operator == BinaryOperator.EQUAL || operator == BinaryOperator.NOT_EQUAL;
    if (!isEquality || term.column() == null) {
      return null;
    }
    if (constant instanceof StringValue text) {
      int number = term.column().numberOf(text.value());
      return number == TextTable.NONE
          ? null
          : new ConstantComparison(term, new Bound(ValueType.STRING, operator, number));
    }
    return constant instanceof BooleanValue truth
        ? new ConstantComparison(
            term, new Bound(ValueType.BOOLEAN, operator, truth.value() ? 1 : 0))
        : null;
  }

  private static boolean isExact(long number) {
    return -DoubleLoops.MAX_EXACT <= number && number <= DoubleLoops.MAX_EXACT;
  }

  /** Returns what is compared with the present value; null if that fails or is not known. */
  private @Nullable Bound bound() {
    for (int i = 0; i < bounds.size(); i++) {
      if (bounds.get(i).type == term.type) {
        return bounds.get(i);
      }
    }
    return null;
  }

  @Override
  public int truths() {
    int kind = term.read();
    if (kind != LongTerm.KNOWN) {
      return kind == LongTerm.NULL ? NULL : UNKNOWN;
    }
    Bound bound = bound();
    return bound == null
        ? UNKNOWN
        : LongComparison.truths(bound.operator, term.low, term.high, bound.number, bound.number);
  }

  @Override
  public boolean evaluate(Stretch stretch, byte[] to) {
    int kind = term.readEach(stretch);
    if (kind == LongTerm.NULL) {
      Arrays.fill(to, 0, stretch.size(), (byte) NULL);
      return true;
    }
    Bound bound = kind == LongTerm.KNOWN ? bound() : null;
    if (bound != null) {
      LongLoops.compare(bound.operator, term.each, bound.number, stretch.size(), to);
    }
    return bound != null;
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

  /*
   * If the value may be a LONG or a DOUBLE, the limit is that of DOUBLEs. It is the same for LONGs as
   * long as no LONG is between a DOUBLE and the next one.
   */
  private @Nullable Limit limit(boolean whileTrue) {
    Bound bound = bounds.get(bounds.size() - 1);
    Object key = term.key();
    boolean isOneForAll =
        bound.type != ValueType.DOUBLE
            || Math.abs(DoubleLoops.value(bound.number)) <= DoubleLoops.MAX_EXACT;
    if (key == null || !isOneForAll) {
      return null;
    }
    Object number = List.of(bound.type, key);
    // The comparison is TRUE above a bound, or below one.
    return switch (bound.operator) {
      case GREATER -> limit(number, whileTrue, true, bound.number, 1);
      case GREATER_OR_EQUAL -> limit(number, whileTrue, true, bound.number, 0);
      case LESS -> limit(number, whileTrue, false, bound.number, -1);
      case LESS_OR_EQUAL -> limit(number, whileTrue, false, bound.number, 0);
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
