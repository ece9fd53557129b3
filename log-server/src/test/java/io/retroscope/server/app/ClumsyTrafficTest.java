// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.api.ApiLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with clients that are slow, silent or disconnected, or that request too much. */
@Timeout(120)
class ClumsyTrafficTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A query of hours: 700,000 bindings in each of 2,000 cuts. */
  static final String MONSTROUS =
      "SELECT x FROM load WHEN EXISTS a, b, c IN 1..90 : (a + b + c + Max(x) < 0)";

  private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

  @TempDir Path directory;
  private final AtomicLong extraNanos = new AtomicLong();
  private final List<RawConnection> connections = new ArrayList<>();
  private LogServer server;
  private HttpProbe http;

  @AfterEach
  void stop() throws IOException {
    for (RawConnection connection : connections) {
      connection.close();
    }
    server.close();
  }

  @Test
  void slowAndSilentConnections_takeNothingFromTheOthers() throws Exception {
    start(ServerConfig.in(directory));
    for (int i = 0; i < 150; i++) {
      connect().send(RawConnection.post("/v1/events", HttpProbe.NDJSON, 1_000) + "{");
      connect().send(RawConnection.post("/v1/query", "application/rql", 1_000) + "S");
      connect();
    }

    assertThat(http.get("/health/live").status()).isEqualTo(200);
    assertThat(http.events(LogServerTest.LINES).body()).isEqualTo("{\"accepted\":4}");
    assertThat(http.query("SELECT r1 FROM setd").status()).isEqualTo(200);
  }

  @Test
  void slowBody_isRefusedWhenItsGraceIsOver() throws Exception {
    start(ServerConfig.in(directory));
    String post = RawConnection.post("/v1/events", HttpProbe.NDJSON, 1_000);
    RawConnection slow =
        connect().send(post.replace("Content-Type", "Expect: 100-continue\r\nContent-Type"));
    // The server asks for the body when its grace has begun.
    assertThat(slow.next(CONTINUE.length())).isEqualTo(CONTINUE);
    extraNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));

    assertThat(slow.send("{\"").rest())
        .startsWith("HTTP/1.1 408 ")
        .containsPattern("2 bytes arrived in [1-6]\\d s: send at least 1000 per second");
  }

  @Test
  void batch_largerThanTheMemory_isRefusedForGoodOrForNow() throws Exception {
    MemoryBudget memory = new MemoryBudget(1 << 20);
    start(ServerConfig.in(directory).store(new StoreOptions(1 << 16, memory, 60_000_000)));
    String lines = LogServerTest.LINES.repeat(200);

    assertThat(http.events(lines))
        .satisfies(
            reply -> {
              assertThat(reply.status()).isEqualTo(413);
              assertThat(reply.body()).contains("send less at a time");
            });
    MemoryBudget.Charge others = memory.charge(memory.maxChargeBytes());
    MemoryBudget.Charge more = memory.charge(memory.maxChargeBytes() - 1_000);
    HttpProbe.Reply busy = http.events(LogServerTest.LINES.repeat(10));
    assertThat(busy.status()).isEqualTo(503);
    assertThat(busy.body()).contains("memory is used up by other requests");
    others.close();
    more.close();
    assertThat(http.events(LogServerTest.LINES).status()).isEqualTo(200);
    Awaitility.await().atMost(PATIENCE).until(() -> memory.usedBytes() < 1 << 16);
  }

  @Test
  void query_whoseClientHasGone_ends() throws Exception {
    start(ServerConfig.in(directory));
    load();
    RawConnection asks = connect();
    asks.send(RawConnection.post("/v1/query", "application/rql", MONSTROUS.length()) + MONSTROUS);
    awaitRunning(1);

    asks.close();
    awaitRunning(0);
  }

  @Test
  void queries_inAllSlots_canBeSeenAndEnded() throws Exception {
    ApiLimits limits =
        new ApiLimits(
            4, 2, 4, 4, 10, 1 << 20, Duration.ofMinutes(10), 1 << 20, Duration.ofSeconds(5));
    start(ServerConfig.in(directory).apiLimits(limits));
    load();
    RawConnection first = ask(MONSTROUS);
    awaitRunning(1);
    ask(MONSTROUS);
    awaitRunning(2);

    assertThat(http.query("SELECT x FROM load LIMIT 1").status()).isEqualTo(200);
    for (int i = 0; i < 4; i++) {
      ask(MONSTROUS.replace("Max", "Min"));
    }
    awaitRunning(6);
    assertThat(http.query("SELECT x FROM load LIMIT 1").status()).isEqualTo(429);
    String shown = http.query("SHOW QUERIES").body();
    assertThat(shown.lines().filter(line -> line.contains("+ Max(x)"))).hasSize(2);
    String id = shown.replaceAll("(?s)^.*?\"id\":(\\d+),\"query\":\"SELECT.*$", "$1");
    assertThat(http.query("KILL QUERY " + id).body()).isEqualTo("{\"killed\":" + id + "}\n");
    assertThat(first.statusLine()).startsWith("HTTP/1.1 400 ");
    extraNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
    awaitRunning(1);
    assertThat(http.query("SELECT x FROM load LIMIT 1").status()).isEqualTo(200);
  }

  private void start(ServerConfig.Builder config) {
    server =
        LogServer.start(
            config.port(0).monotonicClock(() -> System.nanoTime() + extraNanos.get()).build());
    http = new HttpProbe(server.uri());
  }

  private RawConnection connect() throws IOException {
    RawConnection connection = new RawConnection(server.uri());
    connections.add(connection);
    return connection;
  }

  private RawConnection ask(String statement) throws IOException {
    return connect()
        .send(RawConnection.post("/v1/query", "application/rql", statement.length()) + statement);
  }

  private void load() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      lines.append(
          "{\"node\":\"a\",\"log\":\"load\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
              .formatted(1_795_200_000_000_000L + i, i));
    }
    assertThat(http.events(lines.toString()).status()).isEqualTo(200);
  }

  private void awaitRunning(int count) {
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () ->
                http.get("/metrics")
                    .body()
                    .contains("retroscope_queries_running " + count + ".0\n"));
  }
}
