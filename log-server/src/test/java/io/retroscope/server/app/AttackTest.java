// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a server under slow, silent, greedy and unresponsive clients at once still accepts
 * events, reports its health and answers queries. The latencies are printed and not asserted,
 * because they depend on the machine.
 */
class AttackTest {
  private static final int EVENTS_PER_BATCH = 20;
  private static final long BASE_MICROS = 1_795_200_000_000_000L;

  @TempDir Path directory;
  private final List<RawConnection> connections = new ArrayList<>();
  private LogServer server;
  private HttpProbe http;
  private volatile boolean over;

  /** The results of one kind of well-behaved client. */
  private record Seen(String what, List<Long> nanos, int failures) {
    String text() {
      List<Long> sorted = new ArrayList<>(nanos);
      Collections.sort(sorted);
      return "%-8s %6d answers, p50 %5.1f ms, p99 %6.1f ms, worst %6.1f ms, refused %d"
          .formatted(
              what, sorted.size(), at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1), failures);
    }

    private static double at(List<Long> sorted, double share) {
      int index = Math.min(sorted.size() - 1, (int) (share * sorted.size()));
      return index < 0 ? Double.NaN : sorted.get(index) / 1e6;
    }
  }

  private interface Call {
    int status() throws Exception;
  }

  @Test
  @Timeout(60)
  void attack_ofAFew_isSurvived() throws Exception {
    attack(60, 8, 4, 2);
  }

  @Test
  @Tag("slow")
  @Timeout(240)
  void attack_ofMany_isSurvived() throws Exception {
    attack(500, 64, 16, 30);
  }

  private void attack(int slow, int deaf, int monstrous, int seconds) throws Exception {
    server = LogServer.start(ServerConfig.in(directory).port(0).build());
    http = new HttpProbe(server.uri());
    ScheduledExecutorService drips = Executors.newSingleThreadScheduledExecutor();
    ExecutorService honest = Executors.newFixedThreadPool(3);
    try {
      load();
      openSlow(slow);
      openDeaf(deaf);
      openMonstrous(monstrous);
      var unused = drips.scheduleAtFixedRate(this::drip, 1, 1, TimeUnit.SECONDS);
      Future<Seen> ingest = honest.submit(() -> repeat("ingest", 5, this::ingest));
      Future<Seen> health =
          honest.submit(() -> repeat("health", 20, () -> http.get("/health/live").status()));
      Future<Seen> queries =
          honest.submit(
              () -> repeat("queries", 50, () -> http.query("SELECT y FROM app LIMIT 5").status()));
      TimeUnit.SECONDS.sleep(seconds);
      over = true;
      System.out.printf(
          "attack: %d slow or silent connections, %d deaf streams, %d monstrous queries, %d s%n",
          slow, deaf, monstrous, seconds);
      for (Future<Seen> each : List.of(ingest, health, queries)) {
        Seen seen = each.get();
        System.out.println("attack: " + seen.text());
        assertThat(seen.nanos()).as(seen.what()).isNotEmpty();
        assertThat(seen.failures()).as("refused: " + seen.what()).isZero();
      }
    } finally {
      over = true;
      drips.shutdownNow();
      honest.shutdownNow();
      for (RawConnection connection : connections) {
        connection.close();
      }
      server.close();
    }
  }

  private void load() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      lines.append(
          "{\"node\":\"a\",\"log\":\"load\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
              .formatted(BASE_MICROS + i, i));
    }
    assertThat(http.events(lines.toString()).status()).isEqualTo(200);
    assertThat(ingest()).isEqualTo(200);
  }

  private RawConnection connect() throws IOException {
    RawConnection connection = new RawConnection(server.uri());
    connections.add(connection);
    return connection;
  }

  /**
   * One third each: batches that arrive slowly, statements that arrive slowly, silent connections.
   */
  private void openSlow(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      RawConnection connection = connect();
      if (i % 3 == 0) {
        connection.send(RawConnection.post("/v1/events", HttpProbe.NDJSON, 1_000_000) + "{");
      } else if (i % 3 == 1) {
        connection.send(RawConnection.post("/v1/query", "application/rql", 1_000) + "S");
      }
    }
  }

  private void drip() {
    for (RawConnection connection : connections) {
      try {
        connection.send(" ");
      } catch (IOException e) {
        // A refusal is expected.
      }
    }
  }

  private void openDeaf(int count) throws IOException {
    String stream = URLEncoder.encode("SELECT STREAM * FROM app", StandardCharsets.UTF_8);
    for (int i = 0; i < count; i++) {
      connect().send("GET /v1/stream?query=" + stream + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    }
  }

  private void openMonstrous(int count) throws IOException {
    String statement = ClumsyTrafficTest.MONSTROUS;
    for (int i = 0; i < count; i++) {
      connect()
          .send(RawConnection.post("/v1/query", "application/rql", statement.length()) + statement);
    }
  }

  private long sent;

  /** Called by one thread at a time. */
  private int ingest() throws Exception {
    StringBuilder lines = new StringBuilder();
    String filling = "z".repeat(1_000);
    for (int i = 0; i < EVENTS_PER_BATCH; i++) {
      lines.append(
          "{\"node\":\"b\",\"log\":\"app\",\"hlc\":%d,\"set\":{\"y\":%d,\"text\":\"%s\"}}\n"
              .formatted(BASE_MICROS + 10_000 + sent, sent++, filling));
    }
    return http.events(lines.toString()).status();
  }

  private Seen repeat(String what, long pauseMillis, Call call) throws Exception {
    List<Long> nanos = new ArrayList<>();
    int failures = 0;
    while (!over) {
      long begun = System.nanoTime();
      int status = call.status();
      nanos.add(System.nanoTime() - begun);
      failures += status == 200 ? 0 : 1;
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
    }
    return new Seen(what, nanos, failures);
  }
}
