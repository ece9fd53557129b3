// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "runs sh")
class RowProgramTest {
  @TempDir Path folder;
  private final StringWriter err = new StringWriter();

  @Test
  void offer_rows_areLinesOfTheProgramsInputInOrder() throws IOException {
    Path seen = folder.resolve("seen");
    RowProgram program = program("cat >> " + seen, Duration.ofSeconds(30), 10);
    program.offer("{\"a\":\"$(touch x); `y` %n\"}");
    program.offer("{\"a\":2}");
    program.close();
    assertThat(Files.readString(seen)).isEqualTo("{\"a\":\"$(touch x); `y` %n\"}\n{\"a\":2}\n");
    assertThat(program.incomplete()).isFalse();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void offer_programIsSlow_dropsAndCountsWithoutWaiting() throws IOException {
    Path go = folder.resolve("go");
    Path started = folder.resolve("started");
    RowProgram program =
        program(
            "touch %s; while [ ! -e %s ]; do sleep 0.05; done".formatted(started, go),
            Duration.ofSeconds(30),
            2);
    program.offer("first");
    Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> Files.exists(started));
    for (int i = 0; i < 5; i++) {
      program.offer("next");
    }
    Files.createFile(go);
    program.close();
    assertThat(program.incomplete()).isTrue();
    assertThat(err.toString()).isEqualTo("warning: --exec: rows dropped: 3\n");
  }

  @Test
  void offer_programThatDoesNotEnd_isEnded() {
    RowProgram program = program("exec sleep 600", Duration.ofMillis(300), 10);
    program.offer("row");
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> err.toString().contains("did not end within"));
    program.close();
    assertThat(program.incomplete()).isTrue();
    assertThat(err.toString()).endsWith("warning: --exec: runs failed: 1\n");
  }

  @Test
  void offer_programThatDoesNotReadItsLongRow_isEnded() {
    RowProgram program = program("exec sleep 600", Duration.ofMillis(300), 10);
    program.offer("x".repeat(1 << 20));
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> err.toString().contains("did not end within"));
    program.close();
  }

  @Test
  void stop_programRuns_endsItAndItsChildrenAndStartsNoOther() throws Exception {
    Path pids = folder.resolve("pids");
    RowProgram program =
        program(
            "trap '' TERM; sleep 600 & echo $$ $! >> %s; wait".formatted(pids),
            Duration.ofSeconds(30),
            10);
    program.offer("a");
    program.offer("b");
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(pids) && Files.readString(pids).endsWith("\n"));
    program.stop();
    program.close();
    assertThat(pids).content().hasLineCount(1);
    for (long pid : RunningProcess.listedIn(pids)) {
      assertThat(RunningProcess.is(pid)).as("%s", pid).isFalse();
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void offer_programFails_isReportedOnceAndCounted() {
    RowProgram program = program("exit 3", Duration.ofSeconds(30), 10);
    program.offer("a");
    program.offer("b");
    program.close();
    assertThat(err.toString())
        .isEqualTo("warning: --exec: sh ended with 3\nwarning: --exec: runs failed: 2\n");
  }

  @Test
  void offer_noSuchProgram_isReported() {
    RowProgram program = new RowProgram(List.of("/no/such/program"), new PrintWriter(err, true));
    program.offer("a");
    program.close();
    assertThat(program.incomplete()).isTrue();
    assertThat(err.toString()).startsWith("warning: --exec: /no/such/program cannot be started: ");
  }

  private RowProgram program(String script, Duration limit, int maxWaiting) {
    return new RowProgram(
        List.of("sh", "-c", script), limit, maxWaiting, new PrintWriter(err, true));
  }
}
