// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleTimeoutTest {
  private static final String DIFFERENT =
      "SELECT cfg FROM app AT LIVE NODES WHEN COUNT(DISTINCT cfg) >= 2 EMIT INTERVALS";

  @TempDir Path folder;
  private Path events;

  /** Two pods that record each 15 s; the second one has the new configuration from 30 s to 60 s. */
  @BeforeEach
  void record() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int second = 0; second <= 90; second += 15) {
      long micros = 1_795_200_000_000_000L + 1_000_000L * second;
      int cfg = second >= 30 && second < 60 ? 2 : 1;
      lines.append(
          """
          {"node":"a","log":"app","hlc":"%d.0","set":{"cfg":1}}
          {"node":"b","log":"app","hlc":"%d.0","set":{"cfg":%d}}
          """
              .formatted(micros, micros, cfg));
    }
    events = Files.writeString(folder.resolve("pods.ndjson"), lines);
  }

  /** The rows that the shell prints, in a process: it writes to the standard output itself. */
  private List<String> shell(String... options) throws IOException {
    Path script = folder.resolve("retroscope");
    CommandRun.writeScript(script);
    List<String> command =
        new ArrayList<>(List.of(script.toString(), "shell", events.toString(), "--format", "csv"));
    command.addAll(List.of("-c", DIFFERENT));
    command.addAll(List.of(options));
    Process process = new ProcessBuilder(command).start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      return out.lines().skip(1).toList();
    }
  }

  @Test
  void shell_withoutIt_seesNodesForASecondAfterEachEvent() throws IOException {
    assertThat(shell()).hasSize(2).allMatch(row -> row.contains(",1000000,"));
  }

  @Test
  void shell_withIt_seesNodesThatAreSilentForNoLonger() throws IOException {
    assertThat(shell("--idle-timeout", "60s"))
        .singleElement()
        .asString()
        .startsWith("1795200030000000.0")
        .contains(",30000000,");
  }

  @Test
  void check_withIt_isBrokenForLonger() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("r.rql"),
            "CREATE RULE same AS (NEVER COUNT(DISTINCT cfg) >= 2 FOR 20s FROM app AT LIVE NODES);");
    String[] check = {"check", rules.toString(), events.toString()};

    assertThat(CommandRun.of(check).exitCode()).isZero();
    assertThat(
            CommandRun.of("check", rules.toString(), events.toString(), "--idle-timeout", "1m")
                .exitCode())
        .isEqualTo(1);
  }

  @Test
  void option_ofZeroOrForAServer_isRefused() {
    CommandRun zero =
        CommandRun.of(
            "shell", events.toString(), "--idle-timeout", "0s", "--format", "csv", "-c", DIFFERENT);
    assertThat(zero.err()).contains("--idle-timeout must be above 0");
    CommandRun server =
        CommandRun.of(
            "shell", "--server", "http://127.0.0.1:1", "--idle-timeout", "5s", "-c", "SHOW LOGS");
    assertThat(server.exitCode()).isEqualTo(2);
    assertThat(server.err()).contains("--idle-timeout is for files");
  }
}
