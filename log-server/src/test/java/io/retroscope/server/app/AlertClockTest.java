// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.alert.AlertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a page comes once, and its end once, when the server's clock steps. */
@Timeout(180)
class AlertClockTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private final long now = PhysicalClock.system().micros();
  private Hook hook;

  @BeforeEach
  void prepare() throws IOException {
    hook = new Hook();
    Files.createDirectory(directory.resolve("rules"));
    Files.writeString(
        directory.resolve("rules/a.rql"), "CREATE ALERT far AS (NEVER SPREAD(v) >= 2 FROM m);");
    Files.writeString(directory.resolve("receivers"), "ops webhook " + hook.url() + "\n");
  }

  @AfterEach
  void close() {
    hook.close();
  }

  private ServerConfig.Builder config(Path data) {
    return ServerConfig.in(data)
        .port(0)
        .idleTimeout(Duration.ofSeconds(2))
        .alerts(
            new AlertOptions(
                Optional.of(directory.resolve("rules")),
                Optional.of(directory.resolve("receivers"))));
  }

  @Test
  void serverClockThatSteps_changesNoEdge() throws Exception {
    for (long stepMicros : List.of(TimeUnit.HOURS.toMicros(1), -TimeUnit.HOURS.toMicros(1))) {
      AtomicLong step = new AtomicLong();
      PhysicalClock clock = () -> PhysicalClock.system().micros() + step.get();
      Path data = directory.resolve("data" + stepMicros);
      try (LogServer server = LogServer.start(config(data).clock(clock).build())) {
        HttpProbe http = new HttpProbe(server.uri());
        rise(http);
        step.set(stepMicros);
        Thread.sleep(1_000);
        assertThat(hook.words()).containsExactly("far firing");
        if (stepMicros < 0) {
          // Stamps are an hour ahead of this clock: they are not trusted until it is right again.
          step.set(0);
        }
        fall(http);
      }
      hook.close();
      hook = new Hook();
      Files.writeString(directory.resolve("receivers"), "ops webhook " + hook.url() + "\n");
    }
  }

  private void rise(HttpProbe http) throws Exception {
    post(http, event("a", 0, 1) + event("b", 0, 1) + event("a", 10, 5) + event("b", 10, 1));
    await().atMost(PATIENCE).until(() -> hook.words().equals(List.of("far firing")));
  }

  private void fall(HttpProbe http) throws Exception {
    AtomicLong millis = new AtomicLong(40);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              // Nodes that continue, so that none is silent when the fall is evaluated.
              long at = millis.addAndGet(10);
              http.events(event("a", at, 5) + event("b", at, 5));
              return hook.words().equals(List.of("far firing", "far resolved"));
            });
    String id = "far@" + HlcTimestamp.text(HlcTimestamp.pack(now + 10_000));
    assertThat(hook.keys()).containsExactly(id + "/firing-1", id + "/resolved-2");
  }

  private static void post(HttpProbe http, String events) throws Exception {
    assertThat(http.events(events).status()).isEqualTo(200);
  }

  private String event(String node, long afterMillis, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(now + 1_000 * afterMillis)), v);
  }
}
