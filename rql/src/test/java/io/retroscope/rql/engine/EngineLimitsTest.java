// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.EvaluationLimits;
import io.retroscope.rql.evaluation.OuterLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.parser.ParseLimits;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every query ends, with rows or with an error that names the exceeded limit. */
@Timeout(60)
class EngineLimitsTest {
  private static final int SMALL_STACK_BYTES = 256 * 1024;
  private static final String WHEN = "SELECT x FROM t WHEN ";

  static List<String> deepest() {
    return List.of(
        WHEN + "(".repeat(98) + "x@a = 1" + ")".repeat(98),
        WHEN + "x@a " + "+ 1 ".repeat(495) + "> 1",
        WHEN + "x@a = 1" + " OR x@a = 2".repeat(495),
        WHEN + "(1 = 1 AND 2 = 2 AND NOT ".repeat(48) + "(x@a = 1)" + ")".repeat(48),
        WHEN + "TRUE ? (".repeat(90) + "x@a = 1" + ") : (FALSE)".repeat(90),
        WHEN + "EXISTS v IN x : (".repeat(8) + "v = 1" + ")".repeat(8),
        WHEN + "MAX(Age(x)) " + "+ 1s ".repeat(495) + "> 5s",
        "SELECT " + "Coalesce(1 + ".repeat(95) + "x@a" + ", 2)".repeat(95) + " FROM t",
        "SELECT " + "{".repeat(95) + "x@a" + "}".repeat(95) + " FROM t");
  }

  @ParameterizedTest
  @MethodSource("deepest")
  void run_ofTheDeepestAllowed_onASmallStack_endsInRowsOrALimitError(String rql)
      throws InterruptedException {
    assertThat(onStack(SMALL_STACK_BYTES, rql)).containsAnyOf("rows", "RQL0606");
    assertThat(onStack(1 << 20, rql)).contains("rows");
  }

  @Test
  void run_onATinyStack_saysThatItIsTheStack() throws InterruptedException {
    assertThat(onStack(100 * 1024, WHEN + "x@a " + "+ 1 ".repeat(495) + "> 1")).contains("RQL0606");
  }

  @Test
  void run_ofNestedQuantifiers_endsByTheirCommonLimit() throws InterruptedException {
    StringBuilder nest = new StringBuilder("TRUE");
    for (char name = 'a'; name < 'i'; name++) {
      nest.insert(0, "(COUNT " + name + " IN 1..1000 : (").append(")) > 0");
    }
    assertThat(onStack(SMALL_STACK_BYTES, WHEN + nest)).contains("RQL0611");
  }

  @Test
  void run_ofHugeTexts_endsByLimits() throws InterruptedException {
    String nested = "(".repeat(10_000) + "1" + ")".repeat(10_000);
    String chained = "1" + " + 1".repeat(10_000);
    assertThat(onStack(1 << 20, nested)).contains("RQL0602");
    assertThat(onStack(1 << 20, chained)).contains("RQL0603");
    assertThat(onStack(SMALL_STACK_BYTES, nested)).containsAnyOf("RQL0602", "RQL0606");
    assertThat(onStack(SMALL_STACK_BYTES, chained)).containsAnyOf("RQL0603", "RQL0606");
    assertThat(onStack(SMALL_STACK_BYTES, "1" + " + 1".repeat(1 << 18))).contains("RQL0601");
  }

  @Test
  void limits_areTheConfiguredOnes() {
    QueryLimits small =
        new QueryLimits(
            new ParseLimits(60, 8, 5),
            new AnalysisLimits(1, 2),
            OuterLimits.DEFAULT,
            new EvaluationLimits(5, 10, 10, 10, 10),
            10,
            1);
    assertThat(answer("1 + 1 + 1 + 1 + 1 + 1", small)).contains("RQL0603");
    assertThat(answer("((((((((((1))))))))))", small)).contains("RQL0602");
    assertThat(answer("1" + " ".repeat(60), small)).contains("RQL0601");
    assertThat(answer("EXISTS a, b IN {1} : (a = b)", small)).contains("RQL0604");
    assertThat(answer("EXISTS a IN 1..9 : (EXISTS b IN {1} : (b = 1))", small)).contains("RQL0604");
    assertThat(answer("EXISTS a IN {1,2,3,4,5,6} : (a = 1)", small)).contains("RQL0611");
    assertThat(answer("{1,2,3,4,5,6,7,8,9,10,11}", small)).contains("RQL0612");
    assertThat(answer("Concat('12345678901')", small)).contains("RQL0615");
  }

  @Test
  void values_thatGrowFromCutToCut_endByLimits() {
    QueryLimits small =
        new QueryLimits(
            new ParseLimits(200, 8, 50),
            new AnalysisLimits(1, 2),
            OuterLimits.DEFAULT,
            new EvaluationLimits(10, 10, 10, 10, 10),
            10,
            1);
    String compute = "SELECT s FROM t COMPUTE GLOBAL s AND COUNT(x) = 1 AND s := ";
    assertThat(answer(compute + "{{{{{s}}}}}", small)).contains("RQL0602");
    assertThat(answer(compute + "{s, {s, 1}, 2, 3}", small)).contains("RQL0612");
    assertThat(answer(compute + "Concat('123456', s, '1')", small)).isEqualTo("rows");
    assertThat(answer(compute + "Concat('123456', Coalesce(s, ''))", small)).contains("RQL0615");
    assertThat(answer(compute + "Replace('aaa', 'a', '1234')", small)).contains("RQL0615");
    assertThat(answer(compute + "String({'12345', '67890'})", small)).contains("RQL0615");
  }

  private static String onStack(int stackBytes, String rql) throws InterruptedException {
    AtomicReference<String> answer = new AtomicReference<>("no answer");
    Thread thread =
        new Thread(null, () -> answer.set(answer(rql, QueryLimits.DEFAULT)), "query", stackBytes);
    thread.start();
    thread.join();
    return answer.get();
  }

  private static String answer(String rql, QueryLimits limits) {
    EventNotation log = EventNotation.read(List.of("1ms a t x=1", "2ms a t x=2"));
    QueryEngine engine = new QueryEngine(log.source(), limits);
    try {
      engine.run(engine.prepare(rql), new IgnoredRows());
      return "rows";
    } catch (RqlException e) {
      return e.getMessage();
    } catch (StackOverflowError e) {
      return "the stack overflowed";
    }
  }

  private static final class IgnoredRows implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
