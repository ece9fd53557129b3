package io.retroscope.rql.oracle;

import static io.retroscope.rql.oracle.NaiveValues.arithmetic;
import static io.retroscope.rql.oracle.NaiveValues.comparison;
import static io.retroscope.rql.oracle.NaiveValues.isNull;
import static io.retroscope.rql.oracle.NaiveValues.isNumber;
import static io.retroscope.rql.oracle.NaiveValues.micros;
import static io.retroscope.rql.oracle.NaiveValues.number;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.ast.Expression;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;

/** What the functions of plain values answer, by the reference's own words. */
final class NaiveFunctions {
  private NaiveFunctions() {}

  static Value scalar(String function, List<Value> values) {
    Value first = values.get(0);
    if (values.stream().anyMatch(NaiveValues::isNull)) {
      return NullValue.NULL;
    }
    boolean text = first instanceof StringValue;
    return switch (function) {
      case "abs" -> {
        if (first instanceof DurationValue duration) {
          yield new DurationValue(Math.abs(duration.micros()));
        }
        yield comparison(Expression.BinaryOperator.LESS, first, Value.of(0)).equals(Value.of(true))
            ? arithmetic(Expression.BinaryOperator.SUBTRACT, Value.of(0), first)
            : first;
      }
      case "length", "upper" -> {
        if (!text) {
          throw new NoValue(function + " of " + first);
        }
        String content = ((StringValue) first).value();
        yield function.equals("length")
            ? Value.of(content.length())
            : Value.of(content.toUpperCase(Locale.ROOT));
      }
      case "long" -> {
        if (text) {
          throw new NoValue("no number: " + first);
        }
        yield first instanceof DoubleValue number ? Value.of((long) number.value()) : micros(first);
      }
      case "string" -> text ? first : Value.of(printed(first));
      default -> {
        StringBuilder joined = new StringBuilder();
        values.forEach(value -> joined.append(((StringValue) scalarText(value)).value()));
        yield Value.of(joined.toString());
      }
    };
  }

  static Value scalarText(Value value) {
    return value instanceof StringValue ? value : Value.of(printed(value));
  }

  static String printed(Value value) {
    if (value instanceof LongValue number) {
      return Long.toString(number.value());
    }
    if (value instanceof DoubleValue number) {
      return Double.toString(number.value());
    }
    throw new AssertionError("the oracle does not print " + value);
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
      return Value.of(values.stream().mapToDouble(NaiveValues::number).reduce(0, Double::sum));
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
