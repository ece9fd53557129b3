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

  /** Between two events of both pods, 14 s after their last ones. */
  @Test
  void check_ofARangeWithoutEvents_knowsWhoIsLiveThere() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("r.rql"),
            "CREATE RULE same AS (NEVER COUNT(DISTINCT cfg) >= 2 FROM app AT LIVE NODES);");
    List<String> check =
        List.of(
            "check",
            rules.toString(),
            events.toString(),
            "--from",
            "2026-11-20T18:40:44Z",
            "--until",
            "2026-11-20T18:40:44.5Z");
    List<String> longer = new ArrayList<>(check);
    longer.addAll(List.of("--idle-timeout", "20s"));
    assertThat(CommandRun.of(longer.toArray(String[]::new)).exitCode()).isEqualTo(1);
    assertThat(CommandRun.of(check.toArray(String[]::new)).exitCode()).isNotEqualTo(1);
  }

  /** Three of its heartbeats may be missing. */
  @Test
  void check_shorterThanThePromiseOfAHeartbeat_seesTheNodeAsLongAsPromised() throws IOException {
    Files.writeString(
        events,
        """
        {"node":"a","log":"app","hlc":"1795200000000000.0","set":{"cfg":1}}
        {"node":"b","log":"app","hlc":"1795200000000000.0","set":{"cfg":2}}
        {"node":"a","hlc":"1795200000000000.0","heartbeat":true,"promise":5000000}
        {"node":"b","hlc":"1795200000000000.0","heartbeat":true,"promise":5000000}
        {"node":"a","log":"app","hlc":"1795200040000000.0","set":{"cfg":1}}
        """);
    assertThat(differsFor("14s", "2s")).isTrue();
    assertThat(differsFor("16s", "2s")).isFalse();
    assertThat(differsFor("29s", "30s")).isTrue();
    assertThat(differsFor("31s", "30s")).isFalse();
  }

  private boolean differsFor(String duration, String idleTimeout) throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("r.rql"),
            "CREATE RULE same AS (NEVER COUNT(DISTINCT cfg) >= 2 FOR "
                + duration
                + " FROM app AT LIVE NODES);");
    String[] check = {"check", rules.toString(), events.toString(), "--idle-timeout", idleTimeout};
    return CommandRun.of(check).exitCode() == 1;
  }

  @Test
  void option_tooShortOrForAServer_isRefused() {
    CommandRun tooShort =
        CommandRun.of(
            "shell",
            events.toString(),
            "--idle-timeout",
            "100ms",
            "--format",
            "csv",
            "-c",
            DIFFERENT);
    assertThat(tooShort.exitCode()).isEqualTo(2);
    assertThat(tooShort.err()).contains("--idle-timeout must be above 100ms");
    CommandRun server =
        CommandRun.of(
            "shell", "--server", "http://127.0.0.1:1", "--idle-timeout", "5s", "-c", "SHOW LOGS");
    assertThat(server.exitCode()).isEqualTo(2);
    assertThat(server.err()).contains("--idle-timeout is for files");
  }
}
