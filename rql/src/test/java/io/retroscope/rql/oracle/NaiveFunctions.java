// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static io.retroscope.rql.oracle.NaiveValues.arithmetic;
import static io.retroscope.rql.oracle.NaiveValues.isNull;
import static io.retroscope.rql.oracle.NaiveValues.isNumber;
import static io.retroscope.rql.oracle.NaiveValues.micros;
import static io.retroscope.rql.oracle.NaiveValues.number;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Literals;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The functions of plain values, implemented directly from the reference. */
final class NaiveFunctions {
  private NaiveFunctions() {}

  static Value scalar(String function, List<Value> values) {
    Value first = values.get(0);
    if (values.stream().anyMatch(NaiveValues::isNull)) {
      return NullValue.NULL;
    }
    return switch (function) {
      case "length" -> Value.of(text(first).codePoints().count());
      case "upper" -> Value.of(text(first).toUpperCase(Locale.ROOT));
      case "lower" -> Value.of(text(first).toLowerCase(Locale.ROOT));
      case "substring" ->
          substring(
              text(first),
              whole(values.get(1)),
              values.size() > 2 ? whole(values.get(2)) : Integer.MAX_VALUE);
      case "replace" -> replace(text(first), text(values.get(1)), text(values.get(2)));
      case "string", "concat" ->
          Value.of(values.stream().map(NaiveFunctions::printed).collect(Collectors.joining()));
      case "abs" -> numeric(micros(first)) < 0 || isNegativeZero(first) ? opposite(first) : first;
      case "double" -> first instanceof DoubleValue ? first : Value.of(numeric(read(first, true)));
      case "long" -> rounded(read(first, false), RoundingMode.DOWN);
      case "ceil" -> rounded(first, RoundingMode.CEILING);
      case "floor" -> rounded(first, RoundingMode.FLOOR);
      case "round" -> rounded(halfUp(first), RoundingMode.FLOOR);
      case "sin" -> Value.of(Math.sin(numeric(first)));
      case "cos" -> Value.of(Math.cos(numeric(first)));
      case "tan" -> Value.of(Math.tan(numeric(first)));
      case "sqrt" -> NaiveValues.finite(Math.pow(numeric(first), 0.5));
      case "log" -> NaiveValues.finite(Math.log(numeric(first)));
      case "bucket" -> bucket(first, values.get(1));
      case "pow" -> NaiveValues.finite(Math.pow(numeric(first), numeric(values.get(1))));
      default -> throw new AssertionError("the oracle does not know " + function);
    };
  }

  private static Value bucket(Value time, Value length) {
    if (!(length instanceof DurationValue duration) || duration.micros() < 1) {
      throw new NoValue("no period: " + length);
    }
    BigInteger micros;
    if (time instanceof TimestampValue stamp) {
      micros = BigInteger.valueOf(HlcTimestamp.micros(stamp.packed()));
    } else {
      try {
        Instant instant = Instant.parse(text(time));
        micros = BigInteger.valueOf(ChronoUnit.MICROS.between(Instant.EPOCH, instant));
      } catch (DateTimeParseException e) {
        throw new NoValue("no time: " + time);
      }
    }
    BigInteger period = BigInteger.valueOf(duration.micros());
    return Value.of(
        HlcTimestamp.isoMicros(micros.divide(period).multiply(period).longValueExact()));
  }

  /** Parses the numbers that Long and Double accept; a fraction only if it is allowed. */
  private static Value read(Value value, boolean fraction) {
    if (value instanceof StringValue text) {
      try {
        BigDecimal number = new BigDecimal(text.value().strip());
        return fraction ? Value.of(number.doubleValue()) : Value.of(number.longValueExact());
      } catch (ArithmeticException | NumberFormatException e) {
        throw new NoValue("no number: " + text);
      }
    }
    if (value instanceof TimestampValue stamp) {
      return Value.of(HlcTimestamp.micros(stamp.packed()));
    }
    return value instanceof BooleanValue truth ? Value.of(truth.value() ? 1 : 0) : micros(value);
  }

  private static boolean isNegativeZero(Value value) {
    return value.equals(Value.of(-0.0));
  }

  private static Value opposite(Value value) {
    return value instanceof DurationValue duration
        ? new DurationValue(-duration.micros())
        : NaiveValues.negated(value);
  }

  /** Returns the value as a double, which must be a finite number. */
  private static double numeric(Value value) {
    if (!isNumber(value) || !Double.isFinite(number(value))) {
      throw new NoValue("no number: " + value);
    }
    return number(value);
  }

  private static Value halfUp(Value value) {
    boolean large = Math.abs(numeric(value)) >= 1L << 52;
    return large || value instanceof LongValue ? value : Value.of(numeric(value) + 0.5);
  }

  private static Value rounded(Value value, RoundingMode mode) {
    double number = numeric(value);
    if (value instanceof LongValue) {
      return value;
    }
    BigInteger whole = new BigDecimal(number).setScale(0, mode).toBigInteger();
    if (whole.bitLength() > 63) {
      throw new NoValue("overflow");
    }
    return Value.of(whole.longValueExact());
  }

  private static Value substring(String text, long start, long length) {
    if (start < 1 || length < 0) {
      throw new NoValue("substring from " + start + ", " + length);
    }
    StringBuilder part = new StringBuilder();
    int place = 0;
    for (int point : text.codePoints().toArray()) {
      place++;
      if (place >= start && place - start < length) {
        part.appendCodePoint(point);
      }
    }
    return Value.of(part.toString());
  }

  private static Value replace(String text, String old, String replacement) {
    return Value.of(old.isEmpty() ? text : text.replace(old, replacement));
  }

  static long whole(Value value) {
    if (value instanceof LongValue number) {
      return number.value();
    }
    throw new NoValue("no LONG: " + value);
  }

  private static String text(Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    throw new NoValue("no text: " + value);
  }

  private static String printed(Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    if (value instanceof LongValue number) {
      return Long.toString(number.value());
    }
    if (value instanceof DoubleValue number) {
      return Double.toString(number.value());
    }
    return Literals.shown(value, UnaryOperator.identity());
  }

  static Value aggregate(String function, List<Value> elements) {
    List<Value> known = elements.stream().filter(v -> !isNull(v)).toList();
    if (function.equals("count")) {
      return Value.of(known.size());
    }
    boolean orders = function.equals("min") || function.equals("max");
    for (Value value : known) {
      boolean fits =
          isNumber(value)
              || value instanceof DurationValue
              || (value instanceof TimestampValue && (orders || function.equals("spread")))
              || (orders && value instanceof StringValue);
      if (!fits || value.family() != known.get(0).family()) {
        throw new NoValue(function + " of " + known);
      }
    }
    if (known.isEmpty()) {
      return NullValue.NULL;
    }
    List<Value> sorted = known.stream().sorted().toList();
    Value least = sorted.get(0);
    Value greatest = known.stream().reduce((a, b) -> b.compareTo(a) > 0 ? b : a).orElseThrow();
    return switch (function) {
      case "min" -> known.stream().min(Value::compareTo).orElseThrow();
      case "max" -> greatest;
      case "spread" -> arithmetic(Expression.BinaryOperator.SUBTRACT, greatest, least);
      case "sum", "nodesum" -> sum(known);
      case "avg" -> average(known);
      case "median" -> median(sorted);
      default -> throw new AssertionError("the oracle does not know " + function);
    };
  }

  static Value sum(List<Value> values) {
    if (values.stream().anyMatch(DoubleValue.class::isInstance)) {
      return NaiveValues.finite(
          values.stream().mapToDouble(NaiveValues::number).reduce(0, Double::sum));
    }
    BigInteger sum = exactSum(values);
    if (sum.bitLength() > 63) {
      throw new NoValue("overflow");
    }
    long exact = sum.longValueExact();
    return values.get(0) instanceof DurationValue ? new DurationValue(exact) : Value.of(exact);
  }

  private static Value average(List<Value> values) {
    if (values.stream().anyMatch(DoubleValue.class::isInstance)) {
      return Value.of(number(sum(values)) / values.size());
    }
    BigInteger sum = exactSum(values);
    BigInteger count = BigInteger.valueOf(values.size());
    return values.get(0) instanceof DurationValue
        ? new DurationValue(sum.divide(count).longValueExact())
        : Value.of(sum.doubleValue() / values.size());
  }

  private static BigInteger exactSum(List<Value> values) {
    return values.stream()
        .map(value -> BigInteger.valueOf(((LongValue) micros(value)).value()))
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  static Value median(List<Value> sorted) {
    return average(sorted.subList((sorted.size() - 1) / 2, sorted.size() / 2 + 1));
  }
}
