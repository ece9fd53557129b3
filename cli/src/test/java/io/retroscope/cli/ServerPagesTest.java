// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the blocks of the pages that show commands for a log server: all for one server, in this
 * JVM, over the events below and with a clock that starts at their time.
 */
@Tag("slow")
@Timeout(120)
class ServerPagesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long NOW_MICROS = START_MICROS + 2_000_000;
  private static final long AHEAD_MICROS = START_MICROS + 86_400_000_000L;
  private static final int QUARANTINED = 17;
  private static final long SHELL_SECONDS = 60;

  @TempDir static Path folder;
  private static LogServer server;

  @BeforeAll
  static void start() throws Exception {
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("raft.rql"),
        """
        -- At most one node leads.
        CREATE ALERT one_leader AS (NEVER COUNT n IN NODES : (role@n = 'leader') >= 2 FROM raft);
        """);
    Path receivers = Files.writeString(folder.resolve("receivers"), "pager command /bin/true\n");
    long started = System.nanoTime();
    server =
        LogServer.start(
            ServerConfig.in(folder.resolve("data"))
                .port(0)
                .clock(() -> NOW_MICROS + (System.nanoTime() - started) / 1_000)
                .idleTimeout(Duration.ofMinutes(10))
                .alerts(new AlertOptions(Optional.of(rules), Optional.of(receivers)))
                .build());
    awaitAlerts("no node has sent anything yet");
    post(
        event("a", 0, "raft", "\"role\":\"follower\"")
            + event("b", 0, "raft", "\"role\":\"follower\""));
    post(
        event("a", 100_000, "raft", "\"role\":\"leader\"")
            + event("b", 200_000, "raft", "\"role\":\"leader\"")
            + event("zk1", 300_000, "setd", "\"r1\":7")
            + event("zk2", 301_000, "setd", "\"r1\":5")
            + event("zk1", 302_000, "setd", "\"r1\":8"));
    post(
        event("a", 1_000_000, "raft", "\"term\":1")
            + event("b", 1_000_000, "raft", "\"term\":1")
            + event("zk1", 1_000_000, "setd", "\"r2\":1")
            + event("zk2", 1_000_000, "setd", "\"r2\":1"));
    awaitAlerts("firing");
  }

  private static void awaitAlerts(String state) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(run("alerts")).asString().contains(state));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static String event(String node, long micros, String log, String set) {
    return "{\"node\":\"%s\",\"log\":\"%s\",\"hlc\":\"%d.0\",\"set\":{%s}}\n"
        .formatted(node, log, START_MICROS + micros, set);
  }

  private static void post(String events) throws IOException, InterruptedException {
    URI uri = server.uri().resolve("/v1/events");
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(events))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  private static CommandRun run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--server", server.uri().toString()));
    return CommandRun.of(all.toArray(String[]::new));
  }

  /** The last page first: answers after a deletion from the quarantine warn of a loss. */
  static List<ConsoleBlock> blocks() throws IOException {
    List<ConsoleBlock> blocks = new ArrayList<>(ConsoleBlock.all(ROOT, "console server"));
    Collections.reverse(blocks);
    return blocks;
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void block_isRun_printsWhatItShows(ConsoleBlock block) throws Exception {
    if (block.block().text().contains("quarantine")) {
      postQuarantined();
    }
    List<String> faults = new ArrayList<>();
    for (ConsoleBlock.Step step : block.steps()) {
      String printed = print(ShellLine.commands(step.command()).get(0));
      if (!step.prints(printed)) {
        faults.add(step.command() + "\n" + printed);
      }
    }
    assertThat(faults).as("%s: what is really printed", block).isEmpty();
  }

  private static void postQuarantined() throws Exception {
    StringBuilder ahead = new StringBuilder();
    for (int i = 0; i < QUARANTINED; i++) {
      ahead.append(event("zk1", AHEAD_MICROS - START_MICROS + i * 10L, "setd", "\"r1\":9"));
    }
    post(ahead.toString());
  }

  private static String print(List<String> words) throws Exception {
    String printed;
    if (words.get(1).equals("shell")) {
      printed = printOfShell(words);
    } else {
      CommandRun run = run(words.subList(1, words.size()).toArray(String[]::new));
      printed = run.out() + run.err();
    }
    return printed.replace(server.uri().toString(), "http://127.0.0.1:7340");
  }

  /** The output of the shell, which writes to the standard output of its process. */
  private static String printOfShell(List<String> words) throws Exception {
    List<String> command =
        new ArrayList<>(QuickJava.command(System.getProperty("java.class.path")));
    command.add(Retroscope.class.getName());
    command.addAll(words.subList(1, words.size()));
    Path printed = Files.createTempFile(folder, "printed", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
    builder.environment().put("RETROSCOPE_SERVER", server.uri().toString());
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(SHELL_SECONDS, TimeUnit.SECONDS)).as("%s ends", words).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as("%s", words).isZero();
    return Files.readString(printed);
  }
}
