// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.RqlFunction.Scalar;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.Stretches;
import io.retroscope.rql.cut.ValuePacking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Operations and comparisons of LONGs and DOUBLEs, within bounds and at each place of a stretch,
 * against the evaluator's result for each pair of values.
 */
class NumberRulesTest {
  private static final int CASES = 60_000;
  private static final List<BinaryOperator> OPERATORS =
      List.of(
          BinaryOperator.ADD,
          BinaryOperator.SUBTRACT,
          BinaryOperator.MULTIPLY,
          BinaryOperator.DIVIDE,
          BinaryOperator.REMAINDER);
  private static final List<BinaryOperator> COMPARISONS =
      List.of(
          BinaryOperator.LESS,
          BinaryOperator.LESS_OR_EQUAL,
          BinaryOperator.GREATER,
          BinaryOperator.GREATER_OR_EQUAL,
          BinaryOperator.EQUAL,
          BinaryOperator.NOT_EQUAL);
  private static final long[] LONGS = {
    Long.MIN_VALUE,
    -(1L << 53) - 1,
    -(1L << 53),
    -7,
    -2,
    -1,
    0,
    1,
    2,
    3,
    1L << 31,
    (1L << 53) - 1,
    1L << 53,
    (1L << 53) + 1,
    (1L << 60) + 1,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };
  private static final double[] DOUBLES = {
    -Double.MAX_VALUE,
    -1e300,
    -0x1p53 - 2,
    -0x1p53,
    -2.5,
    -1,
    -0.1,
    -Double.MIN_VALUE,
    0,
    Double.MIN_VALUE,
    0.1,
    0.3,
    1,
    1.0 / 3,
    2,
    2.5,
    7,
    0x1p53,
    0x1p53 + 2,
    0x1p62,
    0x1p63,
    1e300,
    Double.MAX_VALUE
  };

  /** A term with some values, of which the lowest and the highest are the bounds. */
  private static final class Values extends LongTerm {
    private final List<Value> values;

    Values(Random random, int size) {
      boolean areLongs = random.nextBoolean();
      boolean areNear = random.nextBoolean();
      values = new ArrayList<>();
      int from = random.nextInt(areLongs ? LONGS.length : DOUBLES.length);
      for (int i = 0; i < size; i++) {
        int index = areNear ? from + random.nextInt(3) : random.nextInt(DOUBLES.length);
        values.add(
            areLongs
                ? Value.of(LONGS[index % LONGS.length])
                : Value.of(DOUBLES[index % DOUBLES.length]));
      }
      type = areLongs ? ValueType.LONG : ValueType.DOUBLE;
      each = values.stream().mapToLong(NumberRulesTest::number).toArray();
      low = Arrays.stream(each).min().orElseThrow();
      high = Arrays.stream(each).max().orElseThrow();
    }

    @Override
    int read() {
      return KNOWN;
    }

    @Override
    int readEach(Stretch stretch) {
      return KNOWN;
    }
  }

  private static long number(Value value) {
    if (value instanceof LongValue whole) {
      return whole.value();
    }
    double fraction = ((DoubleValue) value).value();
    return ValuePacking.ordered(Double.doubleToLongBits(fraction == 0 ? 0 : fraction));
  }

  private static Optional<Value> value(Supplier<Value> operation) {
    try {
      return Optional.of(operation.get());
    } catch (EvaluationException e) {
      return Optional.empty();
    }
  }

  private static Value apply(BinaryOperator operator, Value a, Value b) {
    return switch (operator) {
      case ADD -> Arithmetic.add(a, b);
      case SUBTRACT -> Arithmetic.subtract(a, b);
      case MULTIPLY -> Arithmetic.multiply(a, b);
      case DIVIDE -> Arithmetic.divide(a, b);
      default -> Arithmetic.remainder(a, b);
    };
  }

  @Test
  void operations_ofNumbers_areThoseOfTheEvaluator() {
    int known = 0;
    for (long seed = 0; seed < CASES; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int size = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(5);
      Values left = new Values(random, size);
      Values right = new Values(random, size);
      BinaryOperator operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
      List<Optional<Value>> exact = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        Value a = left.values.get(i);
        Value b = right.values.get(i);
        exact.add(value(() -> apply(operator, a, b)));
      }
      String what = "seed %d: %s %s %s".formatted(seed, left.values, operator, right.values);
      known += check(new ArithmeticTerm(operator, left, right), exact, what);
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 3);
  }

  @Test
  void magnitudes_ofNumbers_areThoseOfTheEvaluator() {
    int known = 0;
    for (long seed = 0; seed < CASES / 4; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      Values operand = new Values(random, 1 + random.nextInt(4));
      List<Optional<Value>> exact = new ArrayList<>();
      for (Value value : operand.values) {
        Value[] arguments = {value};
        exact.add(value(() -> ScalarFunctions.apply(Scalar.ABS, arguments, QueryLimits.DEFAULT)));
      }
      known += check(new MagnitudeTerm(operand), exact, "seed " + seed + ": " + operand.values);
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 8);
  }

  /** Returns 1 if the bounds are known. */
  private static int check(LongTerm term, List<Optional<Value>> exact, String what) {
    boolean mayFail = exact.stream().anyMatch(Optional::isEmpty);
    int bounds = term.read();
    if (mayFail) {
      assertThat(bounds).as(what).isEqualTo(LongTerm.UNKNOWN);
    }
    for (Optional<Value> value : bounds == LongTerm.KNOWN ? exact : List.<Optional<Value>>of()) {
      assertThat(term.type).as(what).isEqualTo(type(value.orElseThrow()));
      assertThat(number(value.get())).as(what).isBetween(term.low, term.high);
    }
    if (exact.size() == 1 && !mayFail) {
      assertThat(bounds).as(what).isEqualTo(LongTerm.KNOWN);
      assertThat(term.low).as(what).isEqualTo(term.high);
    }
    int places = term.readEach(Stretches.of(exact.size()));
    assertThat(places).as(what).isEqualTo(mayFail ? LongTerm.UNKNOWN : LongTerm.KNOWN);
    for (int i = 0; i < exact.size() && !mayFail; i++) {
      Value value = exact.get(i).orElseThrow();
      assertThat(term.type).as(what).isEqualTo(type(value));
      assertThat(term.each[i]).as(what).isEqualTo(number(value));
    }
    return bounds == LongTerm.KNOWN ? 1 : 0;
  }

  private static ValueType type(Value value) {
    return value instanceof LongValue ? ValueType.LONG : ValueType.DOUBLE;
  }

  @Test
  void comparisons_ofNumbers_areThoseOfTheEvaluator() {
    int known = 0;
    for (long seed = 0; seed < CASES; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int size = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(5);
      Values left = new Values(random, size);
      boolean isConstant = random.nextBoolean();
      Values right = new Values(random, isConstant ? 1 : size);
      BinaryOperator operator = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
      QuietRule rule =
          isConstant
              ? ConstantComparison.of(operator, left, right.values.get(0))
              : new LongComparison(operator, left, right);
      if (rule == null) {
        continue;
      }
      List<Integer> exact = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        Value other = right.values.get(isConstant ? 0 : i);
        boolean holds =
            Comparison.compare(operator, left.values.get(i), other).equals(Value.of(true));
        exact.add(holds ? QuietRule.TRUE : QuietRule.FALSE);
      }
      String what = "seed %d: %s %s %s".formatted(seed, left.values, operator, right.values);
      int truths = rule.truths();
      known += truths == QuietRule.UNKNOWN ? 0 : 1;
      exact.forEach(truth -> assertThat(truths & truth).as(what).isEqualTo(truth));
      if (size == 1 && truths != QuietRule.UNKNOWN) {
        assertThat(truths).as(what).isEqualTo(exact.get(0));
      }
      byte[] places = new byte[size];
      if (rule.evaluate(Stretches.of(size), places)) {
        for (int i = 0; i < size; i++) {
          assertThat((int) places[i]).as(what).isEqualTo(exact.get(i));
        }
      } else {
        assertThat(truths).as(what).isEqualTo(QuietRule.UNKNOWN);
      }
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 2);
  }

  /** A limit must never imply another one while a value between them is not quiet there. */
  @Test
  void limits_thatImplyOthers_areQuietNowhereElse() {
    Random random = new Random(1);
    int implied = 0;
    for (int i = 0; i < CASES; i++) {
      Values value = new Values(random, 1);
      LongTerm named = named(value);
      QuietRule one = rule(named, random);
      QuietRule other = rule(named, random);
      if (random.nextInt(3) == 0 && one != null && other != null) {
        one = one.whileTrue();
        other = other.whileTrue();
      }
      if (one == null || other == null || one.limit() == null || other.limit() == null) {
        continue;
      }
      if (one.limit().implies(other.limit()) && one.isQuiet()) {
        implied++;
        assertThat(other.isQuiet()).as("%s of %s", other.limit(), value.values).isTrue();
      }
    }
    assertThat(implied).isGreaterThan(CASES / 30);
  }

  private static @Nullable QuietRule rule(LongTerm term, Random random) {
    Values bound = new Values(random, 1);
    return ConstantComparison.of(COMPARISONS.get(random.nextInt(4)), term, bound.values.get(0));
  }

  /** The same term with a key. */
  private static LongTerm named(Values values) {
    return new LongTerm() {
      @Override
      int read() {
        type = values.type;
        low = values.low;
        high = values.high;
        return KNOWN;
      }

      @Override
      Object key() {
        return "x";
      }
    };
  }
}
