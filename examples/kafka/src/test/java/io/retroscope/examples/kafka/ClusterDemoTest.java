// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.examples.stage.DemoOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterDemoTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;

  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  /** Any part of the time has its writes once, and the versions of a server grow. */
  @Test
  void recordedWrites_inParts_areThoseOfTheWhole() throws Exception {
    RecordedWrites writes = RecordedWrites.read();
    long span = writes.spanMicros();
    for (String node : writes.nodes()) {
      List<Event> whole = writes.events(node, START_MICROS, 0, 3 * span);
      assertThat(whole)
          .hasSize(3 * writes.countOf(node))
          .isSortedAccordingTo((a, b) -> Long.compare(a.hlc(), b.hlc()));
      List<Event> parts = new ArrayList<>();
      for (long from = 0; from < 3 * span; from += span / 7) {
        parts.addAll(writes.events(node, START_MICROS, from, Math.min(3 * span, from + span / 7)));
      }
      assertThat(parts).isEqualTo(whole);
    }
  }

  @Test
  @Tag("slow")
  void run_serverIsKilledInAQuery_rowsAreThoseOfOneServer() throws Exception {
    assertThat(run(true)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("server [123] was killed after the first row")
        .containsPattern("Rows +[1-9][0-9,]*, equal to those of one server")
        .containsPattern("Takeover +\\d+\\.\\d+ s after the kill");
    assertThat(Files.readString(out.resolve("rows-of-cluster.txt")))
        .isNotEmpty()
        .isEqualTo(Files.readString(out.resolve("rows-of-one.txt")));
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  private int run(boolean kills) {
    return new ClusterDemo(
            new DemoOptions(8, out, false, false, 0, false),
            kills,
            2_000,
            new PrintWriter(printed, true),
            new PrintWriter(complaints, true))
        .run();
  }
}
