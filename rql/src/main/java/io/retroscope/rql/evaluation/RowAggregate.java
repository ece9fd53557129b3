// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate over rows, which takes one value of each. NULLs are not counted. Without values
 * COUNT is 0 and the others are NULL. Used by one thread.
 */
public abstract class RowAggregate {
  private @Nullable Value first;

  private RowAggregate() {}

  /**
   * Creates the aggregate of a call, without values.
   *
   * @param held takes each value that is kept until the end
   */
  public static RowAggregate of(Expression.Call call, Consumer<Value> held) {
    RqlFunction function = FunctionTranslator.function(call);
    if (function == RqlFunction.OfRows.PERCENTILE) {
      Value percent = ((Expression.Literal) call.arguments().get(1)).value();
      double share = Arithmetic.toDouble(percent) / 100;
      return new Kept(Aggregate.MEDIAN, values -> percentile(values, share), held);
    }
    if (!(function instanceof Aggregate aggregate)) {
      throw new AssertionError("not an aggregate: " + function);
    }
    RowAggregate all = Aggregation.overRows(aggregate, held);
    return call.distinct() ? new Distinct(all, held) : all;
  }

  /** Takes the value of a row. */
  public final void add(Value value) {
    if (!Types.isNull(value)) {
      first = first == null ? value : first;
      take(value, first);
    }
  }

  /** The aggregate of the values so far. */
  public final Value result() {
    return first == null ? empty() : ofSome();
  }

  abstract void take(Value value, Value firstValue);

  /** The aggregate of at least one value. */
  abstract Value ofSome();

  Value empty() {
    return NullValue.NULL;
  }

  /** COUNT. */
  static final class Count extends RowAggregate {
    private long count;

    @Override
    void take(Value value, Value firstValue) {
      count++;
    }

    @Override
    Value ofSome() {
      return Value.of(count);
    }

    @Override
    Value empty() {
      return Value.of(0);
    }
  }

  /** SUM and AVG: exact for LONGs and DURATIONs, in the order of the rows for other numbers. */
  static final class Sum extends RowAggregate {
    private final Aggregate function;
    private BigInteger exact = BigInteger.ZERO;
    private double approximate;
    private boolean isRounded;
    private boolean isDuration;
    private long count;

    Sum(Aggregate function) {
      this.function = function;
    }

    @Override
    void take(Value value, Value firstValue) {
      Aggregation.check(function, firstValue, value);
      count++;
      if (!Aggregation.isExact(value)) {
        isRounded = true;
        approximate += Arithmetic.toDouble(value);
        return;
      }
      isDuration = value instanceof DurationValue;
      long added = value instanceof LongValue x ? x.value() : ((DurationValue) value).micros();
      exact = exact.add(BigInteger.valueOf(added));
      approximate += added;
    }

    @Override
    Value ofSome() {
      if (function == Aggregate.AVG) {
        return average();
      }
      if (isRounded) {
        return Arithmetic.finite(approximate);
      }
      if (exact.bitLength() >= Long.SIZE) {
        throw new EvaluationException(ErrorCode.OVERFLOW, "the sum");
      }
      return isDuration ? new DurationValue(exact.longValue()) : Value.of(exact.longValue());
    }

    private Value average() {
      return isDuration
          ? new DurationValue(exact.divide(BigInteger.valueOf(count)).longValueExact())
          : Arithmetic.finite((isRounded ? approximate : exact.doubleValue()) / count);
    }
  }

  /** MIN, MAX and SPREAD. */
  static final class Range extends RowAggregate {
    private final Aggregate function;
    private Value least = NullValue.NULL;
    private Value greatest = NullValue.NULL;
    private final BinaryOperator<Value> of;

    /**
     * An aggregate of the extremes.
     *
     * @param of finds it from the least and the greatest value
     */
    Range(Aggregate function, BinaryOperator<Value> of) {
      this.function = function;
      this.of = of;
    }

    @Override
    void take(Value value, Value firstValue) {
      Aggregation.check(function, firstValue, value);
      least = Types.isNull(least) || Comparison.order(value, least) < 0 ? value : least;
      greatest = Types.isNull(greatest) || Comparison.order(value, greatest) > 0 ? value : greatest;
    }

    @Override
    Value ofSome() {
      return of.apply(least, greatest);
    }
  }

  /** An aggregate of all values at once, which are kept. */
  static final class Kept extends RowAggregate {
    private final Aggregate function;
    private final Function<List<Value>, Value> of;
    private final Consumer<Value> held;
    private final List<Value> values = new ArrayList<>();

    /**
     * An aggregate of kept values.
     *
     * @param function the one whose values these must be
     * @param of finds the aggregate of all values
     */
    Kept(Aggregate function, Function<List<Value>, Value> of, Consumer<Value> held) {
      this.function = function;
      this.of = of;
      this.held = held;
    }

    @Override
    void take(Value value, Value firstValue) {
      Aggregation.check(function, firstValue, value);
      held.accept(value);
      values.add(value);
    }

    @Override
    Value ofSome() {
      return of.apply(values);
    }
  }

  /** PERCENTILE, which interpolates linearly between the two nearest values, as percentile_cont. */
  private static Value percentile(List<Value> some, double share) {
    List<Value> sorted = some.stream().sorted().toList();
    double place = share * (sorted.size() - 1);
    Value below = sorted.get((int) Math.floor(place));
    Value above = sorted.get((int) Math.ceil(place));
    double low = number(below);
    double value = low + (place - Math.floor(place)) * (number(above) - low);
    return below instanceof DurationValue
        ? new DurationValue(Math.round(value))
        : Arithmetic.finite(value);
  }

  private static double number(Value value) {
    return value instanceof DurationValue duration ? duration.micros() : Arithmetic.toDouble(value);
  }

  /** An aggregate of the values that differ. */
  private static final class Distinct extends RowAggregate {
    private final RowAggregate all;
    private final Consumer<Value> held;
    private final Set<Value> seen = new HashSet<>();

    Distinct(RowAggregate all, Consumer<Value> held) {
      this.all = all;
      this.held = held;
    }

    @Override
    void take(Value value, Value firstValue) {
      if (seen.add(Types.key(value))) {
        held.accept(value);
        all.add(value);
      }
    }

    @Override
    Value ofSome() {
      return all.result();
    }

    @Override
    Value empty() {
      return all.result();
    }
  }
}
