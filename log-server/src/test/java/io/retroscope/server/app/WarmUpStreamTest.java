// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmUpStreamTest {
  private static final int EVENTS = 1_920;

  /** One in 16 of the versions of the log of three nodes, which hold during up to three cuts. */
  private static final long RISES = EVENTS / 3 / 16;

  @TempDir private Path folder = Path.of("");
  private final StringBuilder written = new StringBuilder();
  private int steps;

  private void run(int mostSteps) throws Exception {
    try (WarmUpHistory history = new WarmUpHistory(folder.resolve("history"), 1)) {
      history.write(EVENTS);
      QueryEngine engine = new QueryEngine(history.source(), QueryLimits.DEFAULT);
      new WarmUpStream(engine, history)
          .run(
              bytes -> written.append(StandardCharsets.UTF_8.decode(bytes)),
              () -> ++steps > mostSteps);
    }
  }

  private long count(String type) {
    return written.toString().lines().filter(line -> line.equals("event: " + type)).count();
  }

  @Test
  void run_toTheEnd_writesEachRowAndItsNoteAsForAClient() throws Exception {
    run(Integer.MAX_VALUE);

    assertThat(count("row")).isBetween(RISES, 3 * RISES);
    assertThat(count("note")).isBetween(RISES, count("row"));
    assertThat((long) steps).as("with about one rise each").isBetween(RISES, 2 * RISES);
  }

  @Test
  void run_stopped_endsBeforeTheNextStep() throws Exception {
    run(20);

    assertThat(steps).isEqualTo(21);
    assertThat(count("row")).isBetween(10L, 60L);
  }
}
