// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CancellationTest {
  /** More than 700,000 bindings in each cut. */
  private static final String MONSTROUS =
      "SELECT x FROM t WHEN EXISTS a, b, c IN 1..90 : (a + b + c + Max(x) < 0)";

  private static final EventNotation ONE_CUT = EventNotation.read(List.of("1ms a t x=1"));

  @Test
  void run_sinkThatGivesUpWithinOneCut_endsThere() {
    Impatient sink = new Impatient(20);
    QueryEngine engine = engine(ONE_CUT);
    engine.run(engine.prepare(MONSTROUS), sink);

    assertThat(sink.checks).isEqualTo(20);
    assertThat(sink.rows).isEmpty();
  }

  @Test
  void run_largeSetsComparedRepeatedly_checksAsOftenAsForBindings() {
    Impatient sink = new Impatient(20);
    QueryEngine engine = engine(ONE_CUT);
    engine.run(
        engine.prepare("SELECT x FROM t WHEN COUNT a IN 1..60 : (1..20000 ISSUBSET 1..20000) = 0"),
        sink);

    assertThat(sink.checks).isEqualTo(20);
  }

  @Test
  void run_killedWithinACut_endsWithTheErrorForIt() throws Exception {
    List<String> lines = IntStream.range(0, 20_000).mapToObj(i -> i + "us a t x=" + i).toList();
    QueryEngine engine = engine(EventNotation.read(lines));
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> running =
          thread.submit(
              () -> engine.run(engine.prepare(MONSTROUS), new Impatient(Integer.MAX_VALUE)));
      long id = -1;
      while (id < 0) {
        Impatient shown = new Impatient(Integer.MAX_VALUE);
        engine.run(engine.prepare("SHOW QUERIES"), shown);
        id =
            shown.rows.stream()
                .filter(row -> row.values().get(1).equals(Value.of(MONSTROUS)))
                .map(row -> ((Value.LongValue) row.values().get(0)).value())
                .findFirst()
                .orElse(-1L);
      }
      engine.run(engine.prepare("KILL QUERY " + id), new Impatient(Integer.MAX_VALUE));

      assertThatThrownBy(running::get)
          .cause()
          .isInstanceOf(RqlException.class)
          .hasMessageContaining("KILL QUERY " + id + " has ended this statement");
    } finally {
      thread.shutdownNow();
    }
  }

  private static QueryEngine engine(EventNotation log) {
    return new QueryEngine(log.source(), QueryLimits.DEFAULT);
  }

  /** A sink that is cancelled after a number of checks. */
  private static final class Impatient implements RowSink {
    private final int patience;
    private final List<Row> rows = new ArrayList<>();
    private int checks;

    Impatient(int patience) {
      this.patience = patience;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return rows.add(row);
    }

    @Override
    public void warning(String message) {}

    @Override
    public boolean cancelled() {
      checks = Math.min(patience, checks + 1);
      return checks == patience;
    }
  }
}
