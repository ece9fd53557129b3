// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.RqlFunction.Scalar;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * Functions that compute one value from the values of their arguments. A NULL argument yields NULL.
 */
final class ScalarFunctions {
  private ScalarFunctions() {}

  static Value apply(Scalar function, Value[] arguments, QueryLimits limits) {
    for (Value argument : arguments) {
      if (Types.isNull(argument)) {
        return NullValue.NULL;
      }
    }
    Value first = arguments[0];
    return switch (function) {
      case ABS -> abs(first);
      case CEIL -> whole(function, first, Math::ceil);
      case FLOOR -> whole(function, first, Math::floor);
      case ROUND -> whole(function, first, x -> Math.abs(x) < 0x1p52 ? (double) Math.round(x) : x);
      case SIN -> Arithmetic.finite(Math.sin(number(function, first)));
      case COS -> Arithmetic.finite(Math.cos(number(function, first)));
      case TAN -> Arithmetic.finite(Math.tan(number(function, first)));
      case SQRT -> sqrt(number(function, first));
      case LOG -> log(number(function, first));
      case POW ->
          Arithmetic.finite(Math.pow(number(function, first), number(function, arguments[1])));
      case LONG -> Conversions.toLong(first);
      case DOUBLE -> Conversions.toDouble(first);
      case STRING -> concat(arguments, limits);
      case REPLACE -> replace(arguments, limits);
      case LENGTH -> Value.of(text(function, first).codePoints().count());
      case LOWER -> Value.of(text(function, first).toLowerCase(Locale.ROOT));
      case UPPER -> Value.of(text(function, first).toUpperCase(Locale.ROOT));
      case SUBSTRING -> substring(arguments);
      case CONCAT -> concat(arguments, limits);
      case CARDINALITY -> Value.of(Comparison.set(first, "Cardinality").elements().size());
      case SUBSET -> subset(Comparison.set(first, "Subset"), arguments[1]);
      case FLATTEN -> SetAlgebra.flatten(arguments, limits);
      case BUCKET -> bucket(first, arguments[1]);
    };
  }

  private static Value abs(Value value) {
    if (value instanceof LongValue number && number.value() >= 0) {
      return value;
    }
    if (value instanceof DurationValue duration && duration.micros() >= 0) {
      return value;
    }
    if (value instanceof LongValue || value instanceof DurationValue) {
      return Arithmetic.negate(value);
    }
    if (Arithmetic.isNumber(value)) {
      return Arithmetic.finite(Math.abs(Arithmetic.toDouble(value)));
    }
    throw Types.wrong("Abs takes a number, not " + Types.described(value));
  }

  private static Value whole(Scalar function, Value value, DoubleUnaryOperator rounding) {
    return value instanceof LongValue
        ? value
        : Value.of(Arithmetic.toLong(rounding.applyAsDouble(number(function, value))));
  }

  private static Value sqrt(double value) {
    if (value < 0) {
      throw new EvaluationException(ErrorCode.OUT_OF_DOMAIN, "there is no square root of " + value);
    }
    return Arithmetic.finite(Math.sqrt(value));
  }

  private static Value log(double value) {
    if (value <= 0) {
      throw new EvaluationException(ErrorCode.OUT_OF_DOMAIN, "there is no logarithm of " + value);
    }
    return Arithmetic.finite(Math.log(value));
  }

  /** Replaces a text. An empty text occurs nowhere, as in SQL. */
  private static Value replace(Value[] arguments, QueryLimits limits) {
    String text = text(Scalar.REPLACE, arguments[0]);
    String old = text(Scalar.REPLACE, arguments[1]);
    String replacement = text(Scalar.REPLACE, arguments[2]);
    if (old.isEmpty()) {
      return arguments[0];
    }
    StringBuilder replaced = new StringBuilder();
    int from = 0;
    for (int at = text.indexOf(old); at >= 0; at = text.indexOf(old, from)) {
      append(replaced, text.substring(from, at), limits);
      append(replaced, replacement, limits);
      from = at + old.length();
    }
    append(replaced, text.substring(from), limits);
    return Value.of(replaced.toString());
  }

  /**
   * Returns the characters from a position, counted from 1. Positions outside the text yield
   * nothing.
   */
  private static Value substring(Value[] arguments) {
    int[] points = text(Scalar.SUBSTRING, arguments[0]).codePoints().toArray();
    long start = whole(Scalar.SUBSTRING, arguments[1]);
    long length = arguments.length > 2 ? whole(Scalar.SUBSTRING, arguments[2]) : points.length;
    if (start < 1 || length < 0) {
      throw new EvaluationException(
          ErrorCode.BAD_ARGUMENT,
          "Substring starts at 1 or later and its length is not negative; here they are %d and %d"
              .formatted(start, length));
    }
    int from = (int) Math.min(points.length, start - 1);
    int count = (int) Math.min(points.length - from, length);
    return Value.of(new String(points, from, count));
  }

  private static Value concat(Value[] arguments, QueryLimits limits) {
    StringBuilder text = new StringBuilder();
    for (Value argument : arguments) {
      append(text, Conversions.text(argument, limits.evaluation().maxTextCharacters()), limits);
    }
    return Value.of(text.toString());
  }

  private static void append(StringBuilder text, String part, QueryLimits limits) {
    Conversions.checkLength(
        (long) text.length() + part.length(), limits.evaluation().maxTextCharacters());
    text.append(part);
  }

  private static Value subset(SetValue set, Value count) {
    long wanted = whole(Scalar.SUBSET, count);
    if (wanted < 0) {
      throw new EvaluationException(
          ErrorCode.BAD_ARGUMENT, "Subset takes 0 or more elements, not " + wanted);
    }
    return new SetValue(set.elements().stream().limit(wanted).toList());
  }

  /** Periods are counted from 1970 in UTC, so that those of a day begin at midnight. */
  private static Value bucket(Value time, Value length) {
    if (!(length instanceof DurationValue duration) || duration.micros() <= 0) {
      throw new EvaluationException(
          ErrorCode.BAD_ARGUMENT,
          "Bucket takes a DURATION above 0, not " + Types.described(length));
    }
    long micros = timeMicros(time);
    return Value.of(HlcTimestamp.isoMicros(micros - Math.floorMod(micros, duration.micros())));
  }

  private static long timeMicros(Value time) {
    if (time instanceof TimestampValue stamp) {
      return HlcTimestamp.micros(stamp.packed());
    }
    if (time instanceof StringValue text) {
      try {
        return ChronoUnit.MICROS.between(
            Instant.EPOCH, OffsetDateTime.parse(text.value()).toInstant());
      } catch (DateTimeException | ArithmeticException e) {
        throw new EvaluationException(
            ErrorCode.BAD_ARGUMENT,
            "Bucket takes a time such as '2026-11-21T10:00:00Z', not " + Types.described(time));
      }
    }
    throw Types.wrong("Bucket takes a TIMESTAMP or a STRING, not " + Types.described(time));
  }

  private static double number(Scalar function, Value value) {
    if (!Arithmetic.isNumber(value)) {
      throw Types.wrong(
          "%s takes a number, not %s".formatted(function.displayName(), Types.described(value)));
    }
    return Arithmetic.toDouble(value);
  }

  private static long whole(Scalar function, Value value) {
    if (value instanceof LongValue number) {
      return number.value();
    }
    throw Types.wrong(
        "%s takes a LONG, not %s".formatted(function.displayName(), Types.described(value)));
  }

  private static String text(Scalar function, Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    throw Types.wrong(
        "%s takes a STRING, not %s".formatted(function.displayName(), Types.described(value)));
  }
}
