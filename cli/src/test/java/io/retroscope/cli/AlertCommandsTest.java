// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
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
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands for alerts: {@code alerts}, and {@code backtest --for}. */
@Timeout(120)
class AlertCommandsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  @TempDir Path folder;

  /** Somebody on call sees what holds, looks at the cut, and acknowledges it. */
  @Test
  void alerts_ofAServer_areShownExplainedAcknowledgedMutedAndTested() throws Exception {
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(rules.resolve("a.rql"), "CREATE ALERT far AS (NEVER SPREAD(v) >= 2 FROM m);");
    AlertOptions options = new AlertOptions(Optional.of(rules), Optional.empty());
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).alerts(options).build())) {
      await()
          .atMost(PATIENCE)
          .until(() -> alerts(server).out().contains("no node has sent anything yet"));
      assertThat(alerts(server).out()).contains("far", "inactive");
      assertThat(alerts(server, "history").out()).contains("no alert has fired");
      long now = PhysicalClock.system().micros();
      post(server, event("a", now, 1) + event("b", now, 1) + event("a", now + 9, 5));
      post(server, event("b", now + 12, 1));
      await().atMost(PATIENCE).until(() -> alerts(server).out().contains("firing"));
      assertThat(alerts(server).out()).contains("firing  " + HlcTimestamp.isoMicros(now + 9));
      String episode = "far@" + HlcTimestamp.text(HlcTimestamp.pack(now + 9));
      assertThat(alerts(server, "show", episode).out())
          .contains(episode + " is firing", "5", "retroscope alerts acknowledge '" + episode + "'");
      assertThat(alerts(server, "history", "--count", "5", "far").out()).contains(episode);
      CommandRun heard =
          CommandRun.of(
              "listen", "--alerts", "--mute", "--for", "2s", "--server", server.uri().toString());
      assertThat(heard.out()).contains("> SOUNDS   page     " + episode);
      assertThat(alerts(server, "acknowledge", episode).out()).contains("acknowledged " + episode);
      assertThat(alerts(server, "show", episode).out()).contains("acknowledged by anybody");
      assertThat(alerts(server, "acknowledge", "far").out()).contains("acknowledged " + episode);
      assertThat(alerts(server, "mute", "far", "--for", "1h").out()).contains("is muted until 2");
      assertThat(alerts(server, "mute", "far", "--for", "0s").out()).contains("is not muted");
      CommandRun untested = alerts(server, "test", "far");
      assertThat(untested.out()).contains("no receiver for far");
      assertThat(untested.exitCode()).isEqualTo(1);
      CommandRun misspelt = alerts(server, "acknowledge", "fat");
      assertThat(misspelt.err()).contains("did you mean far?");
      assertThat(misspelt.exitCode()).isNotZero();
    }
  }

  /** Items are recorded names, and the command is one to copy. */
  @Test
  void acknowledge_anEpisode_isOfThatOneOnly() throws Exception {
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("a.rql"),
        "CREATE ALERT high AS (SELECT n FROM m FOR EACH NODE n WHEN v@n >= 5);");
    AlertOptions options = new AlertOptions(Optional.of(rules), Optional.empty());
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).alerts(options).build())) {
      long now = PhysicalClock.system().micros();
      String node = "o'$(k)";
      post(server, event(node, now, 1) + event(node, now + 9, 5) + event(node, now + 20, 1));
      post(server, event(node, now + 30, 5) + event(node, now + 40, 5));
      await().atMost(PATIENCE).until(() -> alerts(server).out().contains("firing"));
      String id = "high[" + node + "]@";
      String over = id + HlcTimestamp.text(HlcTimestamp.pack(now + 9));
      String holds = id + HlcTimestamp.text(HlcTimestamp.pack(now + 30));
      await().atMost(PATIENCE).until(() -> alerts(server, "history").out().contains(holds));

      CommandRun late = alerts(server, "acknowledge", over);
      assertThat(late.err()).contains(over + " does not hold");
      assertThat(late.exitCode()).isEqualTo(1);
      CommandRun shown = alerts(server, "show", holds);
      assertThat(shown.out())
          .doesNotContain("acknowledged by")
          .contains("retroscope alerts acknowledge '" + holds.replace("'", "'\\''") + "'");
      assertThat(alerts(server, "acknowledge", holds, "--item", node).exitCode()).isEqualTo(2);
      assertThat(alerts(server, "acknowledge", holds).out()).contains("acknowledged " + holds);
      assertThat(alerts(server, "show", holds).out()).contains("acknowledged by anybody");
    }
  }

  private static CommandRun alerts(LogServer server, String... words) {
    String[] all = new String[words.length + 3];
    all[0] = "alerts";
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "--server";
    all[words.length + 2] = server.uri().toString();
    return CommandRun.of(all);
  }

  private static String event(String node, long micros, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(micros)), v);
  }

  private static void post(LogServer server, String events)
      throws IOException, InterruptedException {
    URI uri = server.uri().resolve("/v1/events");
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(events))
            .build();
    assertThat(
            HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void backtest_withSeveralFors_countsWhatEachForFinds() throws IOException {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    Random random = new Random(seed);
    StringBuilder events = new StringBuilder();
    long micros = 1_000_000;
    for (int i = 0; i < 400; i++) {
      micros += 500L * (1 + random.nextInt(20));
      events.append(event("n" + random.nextInt(3), micros, random.nextInt(4)));
    }
    Path file = Files.writeString(folder.resolve("events.ndjson"), events);
    String rules =
        """
        CREATE RULE far AS (NEVER SPREAD(v) >= 2%1$s FROM m);
        CREATE RULE high AS (SELECT n FROM m FOR EACH NODE n WHEN v@n >= 2%1$s);
        """;
    Path ladder = Files.writeString(folder.resolve("rules.rql"), rules.formatted(" FOR 1s"));
    CommandRun counted =
        CommandRun.of(
            "backtest",
            ladder.toString(),
            file.toString(),
            "--for",
            "1ms..50ms",
            "--format",
            "csv");
    assertThat(counted.err()).as("seed %d", seed).isEmpty();
    for (String each : new String[] {"1ms", "5ms", "20ms", "50ms"}) {
      Path one = Files.writeString(folder.resolve("one.rql"), rules.formatted(" FOR " + each));
      String found =
          CommandRun.of("backtest", one.toString(), file.toString(), "--format", "csv").out();
      for (String rule : new String[] {"far", "high"}) {
        long count = found.lines().filter(line -> line.startsWith(rule)).count();
        assertThat(counted.out())
            .as("seed %d", seed)
            .contains("%s,%s,%d,".formatted(rule, each, count));
      }
    }
  }

  @Test
  void backtest_withForAndLast_countsPerDayOfWhatIsStored_andWarnsOfLostEvents()
      throws IOException {
    String line = "{\"node\":\"a\",\"log\":\"m\",\"hlc\":\"%d.0\",\"seq\":%d,\"set\":{\"v\":%d}}\n";
    Path file =
        Files.writeString(
            folder.resolve("e.ndjson"),
            line.formatted(10_000_000, 1, 5)
                + line.formatted(15_000_000, 4, 0)
                + line.formatted(20_000_000, 5, 0));
    Path rules =
        Files.writeString(folder.resolve("r.rql"), "CREATE RULE a AS (NEVER MAX(v) > 1 FROM m);");
    CommandRun run =
        CommandRun.of(
            "backtest",
            rules.toString(),
            file.toString(),
            "--for",
            "1s..1s",
            "--last",
            "1d",
            "--format",
            "csv");
    assertThat(run.out()).as("%s", run).contains("a,1s,1,8640.0");
    assertThat(run.err()).contains("warning: a: ", "lost");
  }

  @Test
  void backtest_withAWrongFor_saysWhatItNeeds() throws IOException {
    Path file = Files.writeString(folder.resolve("e.ndjson"), event("a", 1, 1));
    Path rules =
        Files.writeString(folder.resolve("r.rql"), "CREATE RULE a AS (NEVER MAX(v) > 1 FROM m);");
    CommandRun run =
        CommandRun.of("backtest", rules.toString(), file.toString(), "--for", "10s..1s");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("the shorter one first");
  }
}
