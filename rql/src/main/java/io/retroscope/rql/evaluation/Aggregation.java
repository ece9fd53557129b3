// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.state.PerNode;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate over the elements of its arguments. NULLs are not counted. Without elements COUNT
 * returns 0 and the other aggregates return NULL.
 */
record Aggregation(
    Aggregate function, boolean distinct, List<ElementSource> sources, SourceRange range)
    implements Evaluator {
  /**
   * The values that an aggregate accepts. Except for ANYTHING, all elements must have the same
   * type.
   */
  private enum Domain {
    /** Values of any type, which are only counted. */
    ANYTHING,
    /** Numbers, STRINGs, DURATIONs, TIMESTAMPs. */
    ORDERED,
    /** Numbers, DURATIONs, TIMESTAMPs. */
    SUBTRACTED,
    /** Numbers, DURATIONs. */
    ADDED
  }

  @Override
  public Value value(Frame frame) {
    try {
      Value quick = quick(frame);
      return quick != null ? quick : slow(frame);
    } catch (EvaluationException e) {
      throw e.at(range);
    }
  }

  private @Nullable Value quick(Frame frame) {
    PerNode values = sources.size() == 1 && !distinct ? sources.get(0).values(frame) : null;
    if (values instanceof Ages ages) {
      return ofAges(ages, frame);
    }
    return values instanceof VariableColumn column && column.isAllLong() ? ofLongs(column) : null;
  }

  /** Returns the least or the greatest of ages, or null for other aggregates. */
  private @Nullable Value ofAges(Ages ages, Frame frame) {
    frame.work().add(ages.column().present());
    return switch (function) {
      case MIN -> ages.min();
      case MAX -> ages.max();
      case COUNT, SPREAD, SUM, NODE_SUM, AVG, MEDIAN -> null;
    };
  }

  /**
   * Returns the aggregate of a column of LONGs, or null if it cannot be computed without a list of
   * the elements.
   */
  private @Nullable Value ofLongs(VariableColumn column) {
    return switch (function) {
      case COUNT -> Value.of(column.present());
      case MIN -> Value.of(column.min());
      case MAX -> Value.of(column.max());
      case SPREAD -> Arithmetic.subtract(Value.of(column.max()), Value.of(column.min()));
      case SUM, NODE_SUM, AVG, MEDIAN -> null;
    };
  }

  private Value slow(Frame frame) {
    Elements elements = new Elements();
    for (ElementSource source : sources) {
      if (!source.gather(frame, elements)) {
        return NullValue.NULL;
      }
    }
    frame.work().add(elements.count());
    return of(distinct ? distinct(elements) : elements, frame);
  }

  private static Elements distinct(Elements elements) {
    Elements distinct = new Elements();
    distinct.addAll(elements.toSet());
    return distinct;
  }

  private Value of(Elements elements, Frame frame) {
    List<Value> values = new ArrayList<>(elements.count());
    int first = 0;
    for (int i = 0; i < elements.count(); i++) {
      Value value = elements.value(i);
      if (!Types.isNull(value)) {
        first = values.isEmpty() ? i : first;
        check(elements, first, i, frame);
        values.add(value);
      }
    }
    return values.isEmpty() && domain(function) != Domain.ANYTHING ? NullValue.NULL : of(values);
  }

  /**
   * Creates the aggregate over rows, without values.
   *
   * @param held takes each value that is kept until the end
   */
  static RowAggregate overRows(Aggregate function, Consumer<Value> held) {
    return switch (function) {
      case COUNT -> new RowAggregate.Count();
      case SUM, NODE_SUM, AVG -> new RowAggregate.Sum(function);
      case MIN -> new RowAggregate.Range(function, (least, greatest) -> least);
      case MAX -> new RowAggregate.Range(function, (least, greatest) -> greatest);
      case SPREAD ->
          new RowAggregate.Range(
              function, (least, greatest) -> Arithmetic.subtract(greatest, least));
      case MEDIAN -> new RowAggregate.Kept(function, Aggregation::median, held);
    };
  }

  private Value of(List<Value> values) {
    return switch (function) {
      case COUNT -> Value.of(values.size());
      case SUM, NODE_SUM -> sum(values);
      case AVG -> average(values);
      case MIN -> extreme(values, BinaryOperator.LESS);
      case MAX -> extreme(values, BinaryOperator.GREATER);
      case SPREAD ->
          Arithmetic.subtract(
              extreme(values, BinaryOperator.GREATER), extreme(values, BinaryOperator.LESS));
      case MEDIAN -> median(values);
    };
  }

  private static Domain domain(Aggregate function) {
    return switch (function) {
      case COUNT -> Domain.ANYTHING;
      case MIN, MAX -> Domain.ORDERED;
      case SPREAD -> Domain.SUBTRACTED;
      case SUM, NODE_SUM, AVG, MEDIAN -> Domain.ADDED;
    };
  }

  /** Rejects an element that does not fit the aggregate or the first element. */
  private void check(Elements elements, int first, int index, Frame frame) {
    Value value = elements.value(index);
    if (!fits(domain(function), value)) {
      throw misfit(function, value).of(elements.nodeNames(frame, index));
    }
    Value other = elements.value(first);
    if (isMixture(function, other, value)) {
      throw mixture(function, other, value).of(elements.nodeNames(frame, first, index));
    }
  }

  /**
   * Checks a value of an aggregate that takes its values one by one.
   *
   * @param first the first of them
   * @throws EvaluationException if the value does not fit the aggregate or the first value
   */
  static void check(Aggregate function, Value first, Value value) {
    if (!fits(domain(function), value)) {
      throw misfit(function, value);
    }
    if (isMixture(function, first, value)) {
      throw mixture(function, first, value);
    }
  }

  private static boolean isMixture(Aggregate function, Value first, Value value) {
    return domain(function) != Domain.ANYTHING && value.family() != first.family();
  }

  private static EvaluationException mixture(Aggregate function, Value first, Value value) {
    return domain(function) == Domain.ADDED
        ? Arithmetic.cannotAdd(first, value)
        : Comparison.incomparable(value, first);
  }

  private static boolean fits(Domain domain, Value value) {
    boolean quantity = Arithmetic.isNumber(value) || value instanceof DurationValue;
    return switch (domain) {
      case ANYTHING -> true;
      case ORDERED -> quantity || value instanceof TimestampValue || value instanceof StringValue;
      case SUBTRACTED -> quantity || value instanceof TimestampValue;
      case ADDED -> quantity;
    };
  }

  private static EvaluationException misfit(Aggregate function, Value value) {
    String name = function == Aggregate.NODE_SUM ? "SUM" : function.name();
    return value instanceof SetValue
        ? Types.wrong(name + " cannot take SETs")
            .withHelp("Flatten(...) makes one set of their elements")
        : Types.wrong("%s cannot take %s".formatted(name, Types.described(value)));
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

  /** Returns a DOUBLE for numbers. For DURATIONs it drops the fraction of a microsecond. */
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

  /** Whether a value is a LONG or a DURATION, which counts microseconds. */
  static boolean isExact(Value value) {
    return value instanceof LongValue || value instanceof DurationValue;
  }

  private static boolean isExact(List<Value> values) {
    return values.stream().allMatch(Aggregation::isExact);
  }

  /** Adds exactly, so that neither the order of the values nor an intermediate overflow matters. */
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

  /** Adds in the order of the elements, so that every way to reach a cut yields the same bits. */
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
      if (better.holds(Comparison.order(value, best))) {
        best = value;
      }
    }
    return best;
  }

  /** Returns the middle value, or the mean of the two middle values. */
  private static Value median(List<Value> values) {
    List<Value> sorted = values.stream().sorted().toList();
    return average(sorted.subList((sorted.size() - 1) / 2, sorted.size() / 2 + 1));
  }
}
