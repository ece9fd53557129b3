// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.ast.Expression;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The operators, implemented directly from the reference. */
final class NaiveValues {
  private NaiveValues() {}

  static Value arithmetic(Expression.BinaryOperator operator, Value a, Value b) {
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    if (a instanceof DurationValue || b instanceof DurationValue) {
      return durations(operator, a, b);
    }
    if (!isNumber(a) || !isNumber(b)) {
      throw new NoValue("arithmetic on " + a + ", " + b);
    }
    boolean division =
        operator == Expression.BinaryOperator.DIVIDE
            || operator == Expression.BinaryOperator.REMAINDER;
    if (division && number(b) == 0) {
      throw new NoValue("division by zero");
    }
    if (a instanceof DoubleValue || b instanceof DoubleValue) {
      double x = number(a);
      double y = number(b);
      return finite(
          switch (operator) {
            case ADD -> x + y;
            case SUBTRACT -> x - y;
            case MULTIPLY -> x * y;
            case DIVIDE -> x / y;
            default -> x % y;
          });
    }
    BigInteger x = BigInteger.valueOf(((LongValue) a).value());
    BigInteger y = BigInteger.valueOf(((LongValue) b).value());
    BigInteger exact =
        switch (operator) {
          case ADD -> x.add(y);
          case SUBTRACT -> x.subtract(y);
          case MULTIPLY -> x.multiply(y);
          case DIVIDE -> x.divide(y);
          default -> x.remainder(y);
        };
    if (exact.bitLength() > 63) {
      throw new NoValue("overflow");
    }
    return Value.of(exact.longValueExact());
  }

  static Value finite(double result) {
    if (!Double.isFinite(result)) {
      throw new NoValue("no finite number");
    }
    return Value.of(result);
  }

  static Value negated(Value value) {
    return value instanceof DoubleValue number
        ? finite(-number.value())
        : arithmetic(Expression.BinaryOperator.SUBTRACT, Value.of(0), value);
  }

  /** Adds or subtracts two durations, or multiplies or divides a duration by a LONG. */
  static Value durations(Expression.BinaryOperator operator, Value a, Value b) {
    boolean sum =
        operator == Expression.BinaryOperator.ADD || operator == Expression.BinaryOperator.SUBTRACT;
    boolean both = a instanceof DurationValue && b instanceof DurationValue;
    if (both != sum) {
      throw new NoValue("arithmetic on " + a + ", " + b);
    }
    Value micros = arithmetic(operator, micros(a), micros(b));
    return new DurationValue(((LongValue) micros).value());
  }

  static Value micros(Value value) {
    return value instanceof DurationValue duration ? Value.of(duration.micros()) : value;
  }

  static Value comparison(Expression.BinaryOperator operator, Value a, Value b) {
    if (isNull(a) || isNull(b)) {
      return NullValue.NULL;
    }
    boolean equality =
        operator == Expression.BinaryOperator.EQUAL
            || operator == Expression.BinaryOperator.NOT_EQUAL;
    boolean unordered =
        a instanceof BooleanValue || a instanceof SetValue || a instanceof StructValue;
    if (a.family() != b.family() || (!equality && unordered)) {
      throw new NoValue("comparison of " + a + ", " + b);
    }
    int order = isNumber(a) ? compareNumbers(a, b) : a.compareTo(b);
    return Value.of(
        switch (operator) {
          case EQUAL -> order == 0;
          case NOT_EQUAL -> order != 0;
          case LESS -> order < 0;
          case LESS_OR_EQUAL -> order <= 0;
          case GREATER -> order > 0;
          default -> order >= 0;
        });
  }

  private static int compareNumbers(Value a, Value b) {
    boolean exact = Double.isFinite(number(a)) && Double.isFinite(number(b));
    return exact ? decimal(a).compareTo(decimal(b)) : Double.compare(number(a), number(b));
  }

  private static BigDecimal decimal(Value number) {
    return number instanceof LongValue whole
        ? BigDecimal.valueOf(whole.value())
        : new BigDecimal(number(number));
  }

  static Value in(Value element, Value set) {
    if (isNull(set)) {
      return NullValue.NULL;
    }
    boolean maybe = false;
    for (Value member : ((SetValue) set).elements()) {
      if (isNull(member) || isNull(element)) {
        maybe = true;
      } else if (member.compareTo(element) == 0) {
        return Value.of(true);
      }
    }
    if (!isNull(element)) {
      requireCommonType(List.of(element), ((SetValue) set).elements());
    }
    return maybe ? NullValue.NULL : Value.of(false);
  }

  /** Fails if both have elements, and no two of them have one type, so that none can be equal. */
  static void requireCommonType(Collection<Value> a, Collection<Value> b) {
    Set<Integer> types = types(a);
    Set<Integer> others = types(b);
    if (!types.isEmpty() && !others.isEmpty() && Collections.disjoint(types, others)) {
      throw new NoValue("no common type of " + a + ", " + b);
    }
  }

  private static Set<Integer> types(Collection<Value> values) {
    return values.stream().filter(v -> !isNull(v)).map(Value::family).collect(Collectors.toSet());
  }

  /** Whether there are values, and each is a set. */
  static boolean areSets(Collection<Value> values) {
    List<Value> known = values.stream().filter(v -> !isNull(v)).toList();
    return !known.isEmpty() && known.stream().allMatch(NaiveValues::isSet);
  }

  static List<Value> elementsOrNone(Value set) {
    return isNull(set) ? List.of() : List.copyOf(((SetValue) set).elements());
  }

  static boolean holds(List<Value> set, Value element) {
    return set.stream().anyMatch(e -> e.compareTo(element) == 0);
  }

  static Value truth(Value value) {
    if (value instanceof BooleanValue || isNull(value)) {
      return value;
    }
    throw new NoValue("no truth: " + value);
  }

  static boolean isTrue(Value value) {
    return value instanceof BooleanValue truth && truth.value();
  }

  static boolean isNull(Value value) {
    return value instanceof NullValue;
  }

  static boolean isSet(Value value) {
    return value instanceof SetValue;
  }

  static boolean isNumber(Value value) {
    return value instanceof LongValue || value instanceof DoubleValue;
  }

  static double number(Value value) {
    return value instanceof LongValue x ? x.value() : ((DoubleValue) value).value();
  }
}
