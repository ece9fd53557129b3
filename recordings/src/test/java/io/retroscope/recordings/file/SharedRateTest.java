// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A guard of the ratio between rules that run together and the same rules alone, in CPU time of one
 * thread. The benchmark RuleRates measures more events, with rules that are broken.
 */
@Tag("slow")
class SharedRateTest {
  private static final int EVENTS = 3_000_000;
  private static final int NODES = 3;
  private static final int RULES = 50;
  private static final int ROUNDS = 5;
  private static final double MOST_TIMES_ONE = 3;
  private static final double MOST_OF_THE_SUM = 0.5;

  @TempDir private Path folder;

  @Test
  void rulesOverOneVariable_takeAtMostThreeTimesOne() throws IOException {
    Times times = measure("x", "NEVER SPREAD(x) > %d FROM t;", 1);
    assertThat(times.together / (times.alone / RULES)).as("%s", times).isLessThan(MOST_TIMES_ONE);
  }

  @Test
  void rulesOverAVariableEach_takeAtMostHalfOfTheirSum() throws IOException {
    Times times = measure("v%d", "NEVER SPREAD(v%d) > 100 FROM t;", RULES);
    assertThat(times.together / times.alone).as("%s", times).isLessThan(MOST_OF_THE_SUM);
  }

  /** The least CPU times of all rounds, in seconds: the sum of all rules alone, and together. */
  private record Times(double alone, double together) {}

  private Times measure(String variable, String rule, int variables) throws IOException {
    Path file = folder.resolve("events.rtsf");
    try (SealedConversion conversion = new SealedConversion(file)) {
      for (int i = 0; i < EVENTS; i++) {
        String name = variable.formatted(i / NODES % variables);
        Change set = new Change(Operation.SET, name, Value.of(i / (NODES * variables)));
        long hlc = HlcTimestamp.pack(1_000_000L + i);
        conversion.event(new Event("n" + i % NODES, "t", hlc, new StateChange(List.of(set))));
      }
      conversion.finish();
    }
    List<ParsedStatement> rules = new ArrayList<>();
    List<RowSink> sinks = new ArrayList<>();
    for (int i = 0; i < RULES; i++) {
      rules.add(new RqlParser().read(rule.formatted(variables == 1 ? i + 12 : i)));
      sinks.add(new Holds());
    }
    double alone = Double.MAX_VALUE;
    double together = Double.MAX_VALUE;
    try (SealedFileSource source = SealedFileSource.open(file, all -> ClockOffsets.UNKNOWN)) {
      QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
      for (int round = 0; round < ROUNDS; round++) {
        alone =
            Math.min(
                alone,
                seconds(
                    () -> rules.forEach(query -> engine.run(engine.prepare(query), new Holds()))));
        together =
            Math.min(
                together,
                seconds(
                    () ->
                        assertThat(engine.runTogether(rules, sinks).failures())
                            .allMatch(failure -> failure.isEmpty())));
      }
    }
    return new Times(alone, together);
  }

  private static double seconds(Runnable work) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long began = thread.getCurrentThreadCpuTime();
    work.run();
    return (thread.getCurrentThreadCpuTime() - began) / 1e9;
  }

  /** A receiver of the verdict that a rule holds. */
  private static final class Holds implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      assertThat(row.values().get(0)).isEqualTo(Value.of("holds"));
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
