// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.alert.AlertOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the messages to a real Alertmanager, where its package is installed. */
@Timeout(120)
class AlertmanagerTest {
  private static final String PROGRAM = "prometheus-alertmanager";

  @TempDir Path directory;
  private final long now = PhysicalClock.system().micros();
  private HttpProbe http = new HttpProbe(URI.create("http://127.0.0.1:1"));

  @Test
  void alertmanager_ofDebian_groupsSilencesAndResolvesWhatTheServerSends() throws Exception {
    Optional<Path> program = program();
    assumeThat(program).as("%s is not installed: apt-get install %s", PROGRAM, PROGRAM).isPresent();
    int port = KafkaBroker.freePort();
    Process alertmanager = start(program.get(), port);
    try (LogServer server = server(port)) {
      HttpProbe api = new HttpProbe(URI.create("http://127.0.0.1:" + port));
      await(() -> api.get("/-/ready").status() == 200);
      http = new HttpProbe(server.uri());
      post(event("a", 0, 1) + event("b", 0, 1) + event("a", 10, 5) + event("b", 10, 7));
      // Both items are alerts of their own, in one group.
      await(() -> api.get("/api/v2/alerts").body().split("\"startsAt\"", -1).length == 3);
      String groups = api.get("/api/v2/alerts/groups").body();
      assertThat(groups.split("\"receiver\":\\{", -1)).hasSize(2);
      assertThat(groups)
          .contains(
              "\"alertname\":\"high\"",
              "\"item\":\"a\"",
              "\"team\":\"db\"",
              "\"severity\":\"page\"")
          .contains("n: b; v: {a: 5, b: 7}");
      // A silence of Alertmanager's own, for one of them.
      String silence =
          "{\"matchers\":[{\"name\":\"item\",\"value\":\"a\",\"isRegex\":false}],\"startsAt\":\"2020-01-01T00:00:00Z\","
              + "\"endsAt\":\"2100-01-01T00:00:00Z\",\"createdBy\":\"test\",\"comment\":\"test\"}";
      assertThat(
              api.post(
                      "/api/v2/silences",
                      "application/json",
                      "",
                      silence.getBytes(StandardCharsets.UTF_8))
                  .status())
          .isEqualTo(200);
      await(() -> api.get("/api/v2/alerts?silenced=false").body().contains("\"item\":\"b\""));
      await(() -> !api.get("/api/v2/alerts?silenced=false").body().contains("\"item\":\"a\""));
      post(event("a", 20, 1) + event("b", 20, 1) + event("a", 30, 1) + event("b", 30, 1));
      await(() -> api.get("/api/v2/alerts").body().equals("[]\n"));
      assertThat(http.query("DESCRIBE ALERT high").body()).contains("4 sent, 0 waiting");
    } finally {
      alertmanager.destroy();
      alertmanager.waitFor();
    }
  }

  private static Optional<Path> program() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, PROGRAM))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private Process start(Path program, int port) throws IOException {
    Path config =
        Files.writeString(
            directory.resolve("alertmanager.yml"),
            "route:\n  receiver: none\n  group_by: [alertname]\nreceivers:\n- name: none\n");
    return new ProcessBuilder(
            program.toString(),
            "--config.file=" + config,
            "--storage.path=" + directory.resolve("alertmanager"),
            "--web.listen-address=127.0.0.1:" + port,
            "--cluster.listen-address=")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("alertmanager.log").toFile())
        .start();
  }

  private LogServer server(int port) throws IOException {
    Files.createDirectory(directory.resolve("rules"));
    Files.writeString(
        directory.resolve("rules/a.rql"),
        "CREATE ALERT high WITH (label.team='db') AS (NEVER v@n >= 5 FROM m FOR EACH NODE n);");
    Files.writeString(
        directory.resolve("receivers"), "am alertmanager http://127.0.0.1:" + port + "\n");
    return LogServer.start(
        ServerConfig.in(directory.resolve("data"))
            .port(0)
            .idleTimeout(Duration.ofSeconds(30))
            .alerts(
                new AlertOptions(
                    Optional.of(directory.resolve("rules")),
                    Optional.of(directory.resolve("receivers"))))
            .build());
  }

  private String event(String node, long afterMillis, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(now + 1_000 * afterMillis)), v);
  }

  private void post(String events) throws IOException, InterruptedException {
    assertThat(http.events(events).status()).isEqualTo(200);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(condition);
  }
}
