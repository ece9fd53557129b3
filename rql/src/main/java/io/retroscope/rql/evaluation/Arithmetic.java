// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.function.LongSupplier;

/**
 * The operators {@code + - * / %} and negation. An operation with a NULL operand returns NULL.
 * LONGs and DURATIONs never wrap, and a DOUBLE is always finite.
 */
public final class Arithmetic {
  private Arithmetic() {}

  static Value add(Value a, Value b) {
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(exactly(() -> Math.addExact(x.value(), y.value()), "the sum"));
    }
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (areNumbers(a, b)) {
      return finite(toDouble(a) + toDouble(b));
    }
    if (a instanceof DurationValue x && b instanceof DurationValue y) {
      return duration(exactly(() -> Math.addExact(x.micros(), y.micros()), "the sum"));
    }
    if (a instanceof TimestampValue x && b instanceof DurationValue y) {
      return shift(x, y.micros());
    }
    if (a instanceof DurationValue x && b instanceof TimestampValue y) {
      return shift(y, x.micros());
    }
    throw cannotAdd(a, b);
  }

  static EvaluationException cannotAdd(Value a, Value b) {
    EvaluationException wrong =
        Types.wrong("cannot add %s to %s".formatted(Types.described(b), Types.described(a)));
    return a instanceof Value.StringValue || b instanceof Value.StringValue
        ? wrong.withHelp("Concat(a, b) joins texts")
        : wrong;
  }

  static Value subtract(Value a, Value b) {
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(exactly(() -> Math.subtractExact(x.value(), y.value()), "the difference"));
    }
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (areNumbers(a, b)) {
      return finite(toDouble(a) - toDouble(b));
    }
    if (a instanceof DurationValue x && b instanceof DurationValue y) {
      return duration(exactly(() -> Math.subtractExact(x.micros(), y.micros()), "the difference"));
    }
    if (a instanceof TimestampValue x && b instanceof DurationValue y) {
      return shift(x, exactly(() -> Math.negateExact(y.micros()), "the difference"));
    }
    if (a instanceof TimestampValue x && b instanceof TimestampValue y) {
      return duration(HlcTimestamp.micros(x.packed()) - HlcTimestamp.micros(y.packed()));
    }
    throw Types.wrong(
        "cannot subtract %s from %s".formatted(Types.described(b), Types.described(a)));
  }

  static Value multiply(Value a, Value b) {
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(exactly(() -> Math.multiplyExact(x.value(), y.value()), "the product"));
    }
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (areNumbers(a, b)) {
      return finite(toDouble(a) * toDouble(b));
    }
    if (a instanceof DurationValue x && isNumber(b)) {
      return scale(x, b);
    }
    if (isNumber(a) && b instanceof DurationValue y) {
      return scale(y, a);
    }
    throw Types.wrong("cannot multiply %s by %s".formatted(Types.described(a), Types.described(b)));
  }

  static Value divide(Value a, Value b) {
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(quotient(x.value(), y.value()));
    }
    if (areNumbers(a, b)) {
      return finite(toDouble(a) / nonZero(toDouble(b)));
    }
    if (a instanceof DurationValue x && b instanceof LongValue y) {
      return duration(quotient(x.micros(), y.value()));
    }
    if (a instanceof DurationValue x && isNumber(b)) {
      return duration(toLong(x.micros() / nonZero(toDouble(b))));
    }
    if (a instanceof DurationValue x && b instanceof DurationValue y) {
      return Value.of(quotient(x.micros(), y.micros()));
    }
    throw Types.wrong("cannot divide %s by %s".formatted(Types.described(a), Types.described(b)));
  }

  static Value remainder(Value a, Value b) {
    if (Types.isNull(a) || Types.isNull(b)) {
      return NullValue.NULL;
    }
    if (a instanceof LongValue x && b instanceof LongValue y) {
      return Value.of(x.value() % nonZero(y.value()));
    }
    if (areNumbers(a, b)) {
      return finite(toDouble(a) % nonZero(toDouble(b)));
    }
    if (a instanceof DurationValue x && b instanceof DurationValue y) {
      return duration(x.micros() % nonZero(y.micros()));
    }
    throw Types.wrong("%% cannot take %s and %s".formatted(Types.described(a), Types.described(b)));
  }

  static Value negate(Value a) {
    if (Types.isNull(a)) {
      return NullValue.NULL;
    }
    if (a instanceof LongValue x) {
      return Value.of(exactly(() -> Math.negateExact(x.value()), "the negated number"));
    }
    if (isNumber(a)) {
      return finite(-toDouble(a));
    }
    if (a instanceof DurationValue x) {
      return duration(exactly(() -> Math.negateExact(x.micros()), "the negated duration"));
    }
    throw Types.wrong("cannot negate " + Types.described(a));
  }

  /** Whether a value is of one of the types that have numeric values. */
  public static boolean isNumber(Value value) {
    return value instanceof NumberValue;
  }

  /** Converts a number to the nearest double. */
  public static double toDouble(Value number) {
    return ((NumberValue) number).nearest();
  }

  /** Returns the whole part of a double, which must fit a LONG. */
  static long toLong(double value) {
    if (Double.isNaN(value)) {
      throw notANumber();
    }
    if (value >= 0x1p63 || value < -0x1p63) {
      throw new EvaluationException(ErrorCode.OVERFLOW, Double.toString(value));
    }
    return (long) value;
  }

  /** Returns a DOUBLE, and rejects infinities and NaN. */
  static Value finite(double value) {
    if (Double.isNaN(value)) {
      throw notANumber();
    }
    if (Double.isInfinite(value)) {
      throw new EvaluationException(ErrorCode.OUT_OF_DOMAIN, "the result does not fit a DOUBLE");
    }
    return Value.of(value);
  }

  private static EvaluationException notANumber() {
    return new EvaluationException(ErrorCode.OUT_OF_DOMAIN, "the result is not a number");
  }

  private static boolean areNumbers(Value a, Value b) {
    return isNumber(a) && isNumber(b);
  }

  private static Value duration(long micros) {
    return new DurationValue(micros);
  }

  private static Value scale(DurationValue duration, Value factor) {
    return factor instanceof LongValue times
        ? duration(
            exactly(() -> Math.multiplyExact(duration.micros(), times.value()), "the product"))
        : duration(toLong(duration.micros() * toDouble(factor)));
  }

  private static Value shift(TimestampValue stamp, long micros) {
    long shifted = HlcTimestamp.micros(stamp.packed()) + micros;
    if (shifted < 0 || shifted > HlcTimestamp.MAX_MICROS) {
      throw new EvaluationException(
          ErrorCode.OUT_OF_DOMAIN, "the result is not a time between 1970 and 2112");
    }
    return new TimestampValue(HlcTimestamp.pack(shifted, HlcTimestamp.logical(stamp.packed())));
  }

  private static long quotient(long a, long b) {
    if (a == Long.MIN_VALUE && b == -1) {
      throw new EvaluationException(ErrorCode.OVERFLOW, "the quotient");
    }
    return a / nonZero(b);
  }

  private static long nonZero(long divisor) {
    if (divisor == 0) {
      throw new EvaluationException(ErrorCode.DIVISION_BY_ZERO);
    }
    return divisor;
  }

  private static double nonZero(double divisor) {
    if (divisor == 0) {
      throw new EvaluationException(ErrorCode.DIVISION_BY_ZERO);
    }
    return divisor;
  }

  private static long exactly(LongSupplier operation, String what) {
    try {
      return operation.getAsLong();
    } catch (ArithmeticException e) {
      throw new EvaluationException(ErrorCode.OVERFLOW, what);
    }
  }
}
