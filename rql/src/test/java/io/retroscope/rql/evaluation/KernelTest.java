// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction.Scalar;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.CutBatch.Domain;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.ValuePacking;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Operations and comparisons of LONGs and DOUBLEs, within bounds and at each place of a batch,
 * against the evaluator's result for each pair of values.
 */
class KernelTest {
  private static final int CASES = 60_000;
  private static final CutBatch BATCH = new CutBatch(new CutState(Set.of()));

  /** All operators that are computed over columns. */
  private static final List<BinaryOperator> OPERATORS =
      Stream.of(BinaryOperator.values())
          .filter(operator -> ExpressionTranslator.operation(operator) != null)
          .toList();

  private static final SourceRange NOWHERE = new SourceRange(0, 0);
  private static final Resolution OF_CONSTANTS =
      new Analyzer(Catalog.EMPTY, AnalysisLimits.DEFAULT)
          .analyze(
              "", new Statement.Evaluate(new Expression.Literal(Value.of(0), NOWHERE), NOWHERE));

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

  /** A kernel with some values, of which the lowest and the highest are the bounds. */
  private static final class Values extends Kernel {
    private final List<Value> all;
    private final long[] numbers;
    private final long[] bounds;

    Values(Random random, int size) {
      boolean areLongs = random.nextBoolean();
      boolean areNear = random.nextBoolean();
      all = new ArrayList<>();
      int from = random.nextInt(areLongs ? LONGS.length : DOUBLES.length);
      for (int i = 0; i < size; i++) {
        int index = areNear ? from + random.nextInt(3) : random.nextInt(DOUBLES.length);
        all.add(
            areLongs
                ? Value.of(LONGS[index % LONGS.length])
                : Value.of(DOUBLES[index % DOUBLES.length]));
      }
      type = areLongs ? ValueType.LONG : ValueType.DOUBLE;
      numbers = all.stream().mapToLong(KernelTest::number).toArray();
      long low = Arrays.stream(numbers).min().orElseThrow();
      bounds = new long[] {low, Arrays.stream(numbers).max().orElseThrow()};
    }

    @Override
    int evaluate(CutBatch batch) {
      values = batch.domain() == Domain.RANGE ? bounds : numbers;
      return KNOWN;
    }

    @Override
    Object key() {
      return "the values";
    }
  }

  private static <T> T in(Domain domain, int size, Supplier<T> evaluation) {
    BATCH.enter(domain, size);
    T result = evaluation.get();
    BATCH.enter(Domain.PRESENT, 1);
    return result;
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
    } catch (EvaluationException | RqlException e) {
      return Optional.empty();
    }
  }

  /** The value of an operator, as its evaluator has it. */
  private static Value apply(BinaryOperator operator, Value a, Value b) {
    Expression whole =
        new Expression.Binary(
            operator,
            new Expression.Literal(a, NOWHERE),
            new Expression.Literal(b, NOWHERE),
            NOWHERE);
    return Translator.evaluateAlone("", whole, OF_CONSTANTS, QueryLimits.DEFAULT);
  }

  @Test
  void operations_ofNumbers_areThoseOfTheEvaluator() {
    int known = 0;
    for (long seed = 0; seed < CASES / 2; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int size = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(5);
      Values left = new Values(random, size);
      Values right = new Values(random, size);
      BinaryOperator operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
      NumberOperation operation = ExpressionTranslator.operation(operator);
      List<Optional<Value>> exact = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        Value a = left.all.get(i);
        Value b = right.all.get(i);
        exact.add(value(() -> apply(operator, a, b)));
      }
      long own = seed;
      known +=
          check(
              new Kernel.Applied(operation, left, right),
              exact,
              () -> "seed %d: %s %s %s".formatted(own, left.all, operator, right.all));
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 6);
  }

  @Test
  void magnitudes_ofNumbers_areThoseOfTheEvaluator() {
    int known = 0;
    for (long seed = 0; seed < CASES / 4; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      Values operand = new Values(random, 1 + random.nextInt(4));
      List<Optional<Value>> exact = new ArrayList<>();
      for (Value value : operand.all) {
        Value[] arguments = {value};
        exact.add(value(() -> ScalarFunctions.apply(Scalar.ABS, arguments, QueryLimits.DEFAULT)));
      }
      long own = seed;
      known +=
          check(Kernel.Applied.magnitude(operand), exact, () -> "seed " + own + ": " + operand.all);
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 8);
  }

  /** Returns 1 if the bounds are known. */
  private static int check(Kernel kernel, List<Optional<Value>> exact, Supplier<String> what) {
    boolean mayFail = exact.stream().anyMatch(Optional::isEmpty);
    int bounds = in(Domain.RANGE, 2, () -> kernel.evaluate(BATCH));
    if (mayFail) {
      assertThat(bounds).as(what).isEqualTo(Kernel.UNKNOWN);
    }
    for (Optional<Value> value : bounds == Kernel.KNOWN ? exact : List.<Optional<Value>>of()) {
      assertThat(kernel.type).as(what).isEqualTo(type(value.orElseThrow()));
      assertThat(number(value.get())).as(what).isBetween(kernel.values[0], kernel.values[1]);
    }
    if (exact.size() == 1 && !mayFail) {
      assertThat(bounds).as(what).isEqualTo(Kernel.KNOWN);
      assertThat(kernel.values[0]).as(what).isEqualTo(kernel.values[1]);
    }
    int places = in(Domain.PLACES, exact.size(), () -> kernel.evaluate(BATCH));
    assertThat(places).as(what).isEqualTo(Kernel.KNOWN);
    for (int i = 0; i < exact.size(); i++) {
      boolean fails = kernel.failures != null && kernel.failures[i] != 0;
      assertThat(fails).as(what).isEqualTo(exact.get(i).isEmpty());
      if (!fails) {
        Value value = exact.get(i).orElseThrow();
        assertThat(kernel.type).as(what).isEqualTo(type(value));
        assertThat(kernel.values[i]).as(what).isEqualTo(number(value));
      }
    }
    return bounds == Kernel.KNOWN ? 1 : 0;
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
      Kernel other = isConstant ? constant(right) : right;
      QuietRule rule = new Predicate.Comparing(operator, left, other).rule(BATCH);
      List<Integer> exact = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        Value compared = right.all.get(isConstant ? 0 : i);
        boolean holds =
            Comparison.compare(operator, left.all.get(i), compared).equals(Value.of(true));
        exact.add(holds ? QuietRule.TRUE : QuietRule.FALSE);
      }
      long own = seed;
      Supplier<String> what =
          () -> "seed %d: %s %s %s".formatted(own, left.all, operator, right.all);
      int truths = in(Domain.RANGE, 2, rule::truths);
      known += truths == QuietRule.UNKNOWN ? 0 : 1;
      exact.forEach(truth -> assertThat(truths & truth).as(what).isEqualTo(truth));
      if (size == 1 && truths != QuietRule.UNKNOWN) {
        assertThat(truths).as(what).isEqualTo(exact.get(0));
      }
      byte[] places = new byte[size];
      in(Domain.PLACES, size, () -> evaluate(rule, places));
      for (int i = 0; i < size; i++) {
        boolean isUnknown = places[i] == QuietRule.UNKNOWN;
        assertThat((int) places[i]).as(what).isEqualTo(isUnknown ? places[i] : exact.get(i));
        assertThat(isUnknown && truths != QuietRule.UNKNOWN).as(what).isFalse();
      }
    }
    assertThat(known).as("bounds that are known").isGreaterThan(CASES / 2);
  }

  private static byte[] evaluate(QuietRule rule, byte[] to) {
    rule.evaluate(BATCH, to);
    return to;
  }

  private static Kernel.Constant constant(Values values) {
    return new Kernel.Constant(values.type, values.numbers[0]);
  }

  /** A limit must never imply another one while a value between them is not quiet there. */
  @Test
  void limits_thatImplyOthers_areQuietNowhereElse() {
    Random random = new Random(1);
    int implied = 0;
    for (int i = 0; i < CASES; i++) {
      Values value = new Values(random, 1);
      QuietRule one = rule(value, random);
      QuietRule other = rule(value, random);
      if (random.nextInt(3) == 0) {
        one = one.whileTrue();
        other = other.whileTrue();
      }
      if (one.limit() == null || other.limit() == null) {
        continue;
      }
      if (one.limit().implies(other.limit()) && one.isQuiet()) {
        // A DOUBLE to which a LONG may be rounded is left to the evaluator.
        int truths = other.truths();
        implied++;
        assertThat(truths == QuietRule.UNKNOWN || other.isQuiet())
            .as("%s of %s", other.limit(), value.all)
            .isTrue();
      }
    }
    assertThat(implied).isGreaterThan(CASES / 30);
  }

  private static QuietRule rule(Kernel kernel, Random random) {
    Kernel bound = constant(new Values(random, 1));
    return new Predicate.Comparing(COMPARISONS.get(random.nextInt(4)), kernel, bound).rule(BATCH);
  }

  @Test
  void failures_areThoseOfTheirPlacesOnly() {
    Values left = new Values(new Random(1), 3);
    System.arraycopy(new long[] {7, Long.MAX_VALUE, -7}, 0, left.numbers, 0, 3);
    left.type = ValueType.LONG;
    Kernel sum =
        new Kernel.Applied(NumberOperation.ADD, left, new Kernel.Constant(ValueType.LONG, 1));
    Predicate positive =
        new Predicate.Comparing(
            BinaryOperator.GREATER, sum, new Kernel.Constant(ValueType.LONG, 0));
    byte[] to = new byte[3];
    in(Domain.PLACES, 3, () -> evaluate(positive.rule(BATCH), to));
    assertThat(to).containsExactly(QuietRule.TRUE, QuietRule.UNKNOWN, QuietRule.FALSE);
  }
}
