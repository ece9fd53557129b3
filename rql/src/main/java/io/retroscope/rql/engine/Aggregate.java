package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.VariableColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes one value of many. NULLs do not count; over nothing COUNT gives 0, the others NULL. */
enum Aggregate {
  COUNT,
  SUM,
  AVG,
  MIN,
  MAX,
  SPREAD,
  MEDIAN;

  /** The aggregate of the elements; {@code distinct} counts equal ones once. */
  Value of(Elements elements, boolean distinct, Frame frame) {
    Elements counted = distinct ? distinct(elements) : elements;
    List<Value> values = new ArrayList<>(counted.count());
    for (int i = 0; i < counted.count(); i++) {
      Value value = counted.value(i);
      if (!Types.isNull(value)) {
        values.add(checked(value, counted.node(i), frame));
      }
    }
    if (this == COUNT) {
      return Value.of(values.size());
    }
    return values.isEmpty() ? NullValue.NULL : ofSome(values);
  }

  private static Elements distinct(Elements elements) {
    Elements distinct = new Elements();
    distinct.addAll(elements.toSet());
    return distinct;
  }

  private Value checked(Value value, int node, Frame frame) {
    if (this == COUNT) {
      return value;
    }
    if (value instanceof SetValue) {
      throw Types.wrong(this + " cannot take SETs")
          .withHelp("Flatten(...) makes one set of their elements")
          .of(ElementSource.nodeName(node, frame));
    }
    boolean ordersOnly = this == MIN || this == MAX;
    boolean fits =
        Arithmetic.isNumber(value)
            || value instanceof DurationValue
            || (value instanceof Value.TimestampValue && (ordersOnly || this == SPREAD))
            || (value instanceof Value.StringValue && ordersOnly);
    if (!fits) {
      throw Types.wrong("%s cannot take %s".formatted(this, Types.described(value)))
          .of(ElementSource.nodeName(node, frame));
    }
    return value;
  }

  private Value ofSome(List<Value> values) {
    return switch (this) {
      case SUM -> sum(values);
      case AVG -> average(values);
      case MIN -> extreme(values, BinaryOperator.LESS);
      case MAX -> extreme(values, BinaryOperator.GREATER);
      case SPREAD ->
          Arithmetic.subtract(
              extreme(values, BinaryOperator.GREATER), extreme(values, BinaryOperator.LESS));
      case MEDIAN -> median(values);
      case COUNT -> throw new AssertionError("COUNT needs no values");
    };
  }

  private static Value sum(List<Value> values) {
    Value sum = values.get(0);
    for (Value value : values.subList(1, values.size())) {
      sum = Arithmetic.add(sum, value);
    }
    return sum;
  }

  private static Value average(List<Value> values) {
    if (values.get(0) instanceof DurationValue) {
      return Arithmetic.divide(sum(values), Value.of(values.size()));
    }
    double sum = 0;
    for (Value value : values) {
      sum += number(value);
    }
    return Arithmetic.finite(sum / values.size());
  }

  private static Value extreme(List<Value> values, BinaryOperator better) {
    Value best = values.get(0);
    for (Value value : values) {
      if (Comparison.holds(better, Comparison.order(value, best))) {
        best = value;
      }
    }
    return best;
  }

  /** The middle one, or what lies halfway between the two in the middle. */
  private static Value median(List<Value> values) {
    extreme(values, BinaryOperator.LESS);
    List<Value> sorted = values.stream().sorted().toList();
    Value low = sorted.get((sorted.size() - 1) / 2);
    Value high = sorted.get(sorted.size() / 2);
    if (low instanceof DurationValue a && high instanceof DurationValue b) {
      return new DurationValue(a.micros() + (b.micros() - a.micros()) / 2);
    }
    return Arithmetic.finite(number(low) / 2 + number(high) / 2);
  }

  private static double number(Value value) {
    if (!Arithmetic.isNumber(value)) {
      throw Types.wrong("cannot add %s to a number".formatted(Types.described(value)));
    }
    return Arithmetic.toDouble(value);
  }

  /** The aggregate of a column of LONGs, where that needs no list; null where it does. */
  static @Nullable Value ofColumn(Aggregate aggregate, VariableColumn column) {
    if (!column.isAllLong()) {
      return null;
    }
    return switch (aggregate) {
      case COUNT -> Value.of(column.present());
      case MIN -> Value.of(column.min());
      case MAX -> Value.of(column.max());
      case SPREAD -> Arithmetic.subtract(Value.of(column.max()), Value.of(column.min()));
      case SUM, AVG, MEDIAN -> null;
    };
  }
}
