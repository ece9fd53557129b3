package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.math.BigInteger;
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
    int first = 0;
    for (int i = 0; i < counted.count(); i++) {
      Value value = counted.value(i);
      if (!Types.isNull(value)) {
        first = values.isEmpty() ? i : first;
        if (this != COUNT) {
          check(counted, first, i, frame);
        }
        values.add(value);
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

  /** Refuses an element that does not fit the aggregate, or not the first one. */
  private void check(Elements elements, int first, int index, Frame frame) {
    Value value = elements.value(index);
    if (value instanceof SetValue) {
      throw Types.wrong(this + " cannot take SETs")
          .withHelp("Flatten(...) makes one set of their elements")
          .of(elements.nodeNames(frame, index));
    }
    if (!fits(value)) {
      throw Types.wrong("%s cannot take %s".formatted(this, Types.described(value)))
          .of(elements.nodeNames(frame, index));
    }
    Value other = elements.value(first);
    if (value.family() != other.family()) {
      throw (ordersOnly() || this == SPREAD
              ? Comparison.incomparable(value, other)
              : Arithmetic.cannotAdd(other, value))
          .of(elements.nodeNames(frame, first, index));
    }
  }

  private boolean ordersOnly() {
    return this == MIN || this == MAX;
  }

  private boolean fits(Value value) {
    return Arithmetic.isNumber(value)
        || value instanceof DurationValue
        || (value instanceof Value.TimestampValue && (ordersOnly() || this == SPREAD))
        || (value instanceof Value.StringValue && ordersOnly());
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
    if (!isExact(values)) {
      return Arithmetic.finite(doubleSum(values, 1));
    }
    BigInteger sum = exactSum(values);
    if (sum.bitLength() >= Long.SIZE) {
      throw new EvaluationException(ErrorCode.OVERFLOW, "the sum");
    }
    long fits = sum.longValue();
    return values.get(0) instanceof LongValue ? Value.of(fits) : new DurationValue(fits);
  }

  /** Of numbers a DOUBLE; of DURATIONs one that drops the fraction of a microsecond. */
  private static Value average(List<Value> values) {
    int count = values.size();
    if (values.get(0) instanceof DurationValue) {
      return new DurationValue(exactSum(values).divide(BigInteger.valueOf(count)).longValueExact());
    }
    if (isExact(values)) {
      return Value.of(exactSum(values).doubleValue() / count);
    }
    double mean = doubleSum(values, 1) / count;
    return Arithmetic.finite(Double.isFinite(mean) ? mean : doubleSum(values, count));
  }

  /** Whether all are LONGs, or DURATIONs, which count microseconds. */
  private static boolean isExact(List<Value> values) {
    return values.stream().noneMatch(DoubleValue.class::isInstance);
  }

  /** So that neither the order of the values nor an overflow on the way matters. */
  private static BigInteger exactSum(List<Value> values) {
    BigInteger carried = BigInteger.ZERO;
    long sum = 0;
    for (Value value : values) {
      long next = value instanceof LongValue x ? x.value() : ((DurationValue) value).micros();
      long wrapped = sum + next;
      boolean overflows = ((sum ^ wrapped) & (next ^ wrapped)) < 0;
      carried = overflows ? carried.add(BigInteger.valueOf(sum)) : carried;
      sum = overflows ? next : wrapped;
    }
    return carried.add(BigInteger.valueOf(sum));
  }

  /** In the order of the elements, so that every way to a cut gives the same bits. */
  private static double doubleSum(List<Value> numbers, int divisor) {
    double sum = 0;
    for (Value number : numbers) {
      sum += Arithmetic.toDouble(number) / divisor;
    }
    return sum;
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

  /** The middle one, or the mean of the two in the middle. */
  private static Value median(List<Value> values) {
    List<Value> sorted = values.stream().sorted().toList();
    return average(sorted.subList((sorted.size() - 1) / 2, sorted.size() / 2 + 1));
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
