// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.LostBlocks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventSocketTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pace WANTED = Pace.of(Duration.ofMillis(20), false);

  private FakeSocketServer server;
  private final AtomicLong laterNanos = new AtomicLong();

  @BeforeEach
  void start() throws IOException {
    server = new FakeSocketServer();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private HttpSinkBuilder sink() {
    HttpSinkBuilder builder =
        HttpSink.builder()
            .server(server.uri())
            .backoff(Duration.ofMillis(5), Duration.ofMillis(50))
            .closeTimeout(Duration.ofMillis(300));
    builder.nanos = () -> System.nanoTime() + laterNanos.get();
    return builder;
  }

  private static void offer(HttpSink sink, long from, long to) {
    LongStream.rangeClosed(from, to).forEach(n -> sink.accept(Blocks.block(n, 2, 1_000)));
  }

  private static List<Long> range(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  void flush_serverTakesSockets_everythingGoesOverOneConnection() {
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 200);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 200));
    }
    assertThat(server.handshakes).hasSize(1);
    assertThat(server.others).isEmpty();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.closeCodes).contains(1000));
  }

  @Test
  void pace_wishChanges_isFollowed() throws IOException {
    try (HttpSink sink = sink().build()) {
      assertThat(sink.pace(WANTED)).isEqualTo(WANTED);
      sink.accept(Blocks.heartbeat(1, 1));
      await().atMost(PATIENCE).until(() -> server.frames.size() == 1);
      await().atMost(PATIENCE).until(() -> !sink.pace(WANTED).equals(WANTED));
      assertThat(sink.pace(WANTED)).isEqualTo(new Pace(200_000_000, 5_000_000_000L, false));
      server.say("{\"listen\":true}");
      await().atMost(PATIENCE).until(() -> sink.pace(WANTED).equals(WANTED));
      server.say("{\"listen\":true,\"millis\":4}");
      Pace prompt = new Pace(4_000_000, 4_000_000, false);
      await().atMost(PATIENCE).until(() -> sink.pace(WANTED).equals(prompt));
      Pace chosen = new Pace(7_000_000, 7_000_000, true);
      assertThat(sink.pace(chosen)).as("the service has chosen it").isEqualTo(chosen);
      server.say("{\"listen\":false}");
      await().atMost(PATIENCE).until(() -> !sink.pace(WANTED).equals(WANTED));
      server.cut();
      await().atMost(PATIENCE).until(() -> sink.pace(WANTED).equals(WANTED));
    }
  }

  @Test
  void accept_connectionCutAgainAndAgain_nothingIsLost() {
    AtomicInteger batches = new AtomicInteger();
    var willing = server.answer;
    server.answer =
        (number, batch) ->
            batches.incrementAndGet() % 3 == 0 ? "close" : willing.apply(number, batch);
    try (HttpSink sink = sink().closeTimeout(PATIENCE).build()) {
      for (int i = 0; i < 8; i++) {
        offer(sink, 1 + 10L * i, 10 + 10L * i);
        sink.flush(PATIENCE);
      }
      assertThat(server.numbers()).isEqualTo(range(1, 80));
      assertThat(sink.statistics().retries()).isPositive();
      assertThat(sink.lostEventCount()).isZero();
    }
    assertThat(server.others).isEmpty();
  }

  @Test
  void accept_oneBlockRefused_theOthersArriveAndItsNumberIsDeclaredLost() {
    var willing = server.answer;
    server.answer =
        (number, batch) ->
            batch.stream()
                    .anyMatch(f -> f instanceof io.retroscope.event.EventBlock b && b.number() == 7)
                ? "{\"batch\":" + number + ",\"title\":\"Refused\",\"status\":400}"
                : willing.apply(number, batch);
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 20);
      assertThat(sink.flush(PATIENCE)).isFalse();
      await().atMost(PATIENCE).until(() -> server.numbers().size() == 19);
      assertThat(server.frames.stream().filter(LostBlocks.class::isInstance)).hasSize(1);
    }
  }

  @Test
  void accept_answerToAnEarlierMessage_isNotTakenForTheBatchs() throws IOException {
    AtomicInteger late = new AtomicInteger();
    var willing = server.answer;
    server.answer =
        (number, batch) -> {
          String plain = willing.apply(number, batch);
          if (plain.isEmpty()) {
            late.set(number);
            return plain;
          }
          say("{\"batch\":" + late.get() + ",\"status\":400}");
          return plain;
        };
    try (HttpSink sink = sink().build()) {
      sink.accept(Blocks.heartbeat(1, 1));
      await().atMost(PATIENCE).until(() -> server.frames.size() == 1);
      offer(sink, 1, 1);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.statistics().refusedBlocks()).isZero();
      assertThat(server.numbers()).containsExactly(1L);
    }
  }

  private void say(String text) {
    try {
      server.say(text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void accept_answersAreGarbage_isSentAgainOverAnotherConnection() {
    AtomicInteger garbage = new AtomicInteger(3);
    var willing = server.answer;
    server.answer =
        (number, batch) ->
            switch (garbage.getAndDecrement()) {
              case 3 -> "<html>please log in</html>";
              case 2 -> "x".repeat(1 << 20);
              case 1 -> "{\"accepted\":1}";
              default -> willing.apply(number, batch);
            };
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 1);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.statistics().retries()).isEqualTo(3);
    }
    assertThat(server.handshakes).hasSize(4);
  }

  @Test
  void accept_serverHangs_isGivenUpAndSentAgain() {
    AtomicInteger hanging = new AtomicInteger(1);
    var willing = server.answer;
    server.answer =
        (number, batch) -> hanging.getAndDecrement() > 0 ? "" : willing.apply(number, batch);
    try (HttpSink sink = sink().requestTimeout(Duration.ofMillis(500)).build()) {
      offer(sink, 1, 1);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.statistics().retries()).isPositive();
    }
  }

  /** The server stores a batch at once, but each sync of its disk takes longer than the timeout. */
  @Test
  void accept_everyAnswerIsLate_isAwaitedLongerEachTime() {
    var willing = server.answer;
    server.answer =
        (number, batch) -> {
          LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
          return willing.apply(number, batch);
        };
    try (HttpSink sink = sink().requestTimeout(Duration.ofMillis(200)).build()) {
      offer(sink, 1, 1);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.statistics().retries()).isPositive();
    }
  }

  @Test
  void accept_silentForAMinute_connectsAnew() {
    try (HttpSink sink = sink().build()) {
      sink.accept(Blocks.heartbeat(1, 1));
      await().atMost(PATIENCE).until(() -> server.frames.size() == 1);
      await().atMost(PATIENCE).until(() -> !sink.pace(WANTED).equals(WANTED));
      laterNanos.set(Duration.ofSeconds(61).toNanos());
      assertThat(sink.pace(WANTED)).isEqualTo(WANTED);
      sink.accept(Blocks.heartbeat(1, 2));
      await().atMost(PATIENCE).until(() -> server.frames.size() == 2);
      assertThat(server.handshakes).hasSize(2);
    }
  }

  @Test
  void accept_handshakePassesAndNothingElse_isPosted() throws IOException {
    server.greeting = "";
    try (HttpSink sink = sink().requestTimeout(Duration.ofMillis(300)).build()) {
      offer(sink, 1, 1);
      await().atMost(PATIENCE).until(() -> !server.others.isEmpty());
      assertThat(server.others.get(0)).startsWith("POST /v1/events ");
    }
  }

  @Test
  void accept_serverWithoutSockets_postsAndTriesASocketNowAndThen() throws IOException {
    try (FakeLogServer old = new FakeLogServer();
        HttpSink sink = sink().server(old.uri()).build()) {
      for (int i = 1; i <= 5; i++) {
        offer(sink, i, i);
        assertThat(sink.flush(PATIENCE)).isTrue();
      }
      assertThat(old.numbers()).isEqualTo(range(1, 5));
      assertThat(old.exchanges.stream().filter(line -> line.equals("GET /v1/events/socket")))
          .hasSize(1);
      assertThat(sink.pace(WANTED)).isEqualTo(WANTED);
      laterNanos.set(Duration.ofSeconds(301).toNanos());
      offer(sink, 6, 6);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(old.exchanges.stream().filter(line -> line.equals("GET /v1/events/socket")))
          .hasSize(2);
    }
  }

  @Test
  void build_basePathAndCredentials_areOnTheHandshake() {
    try (HttpSink sink =
        sink()
            .server(java.net.URI.create(server.uri() + "/base/path/"))
            .header("X-Tenant", "blue")
            .token("s3cret-token")
            .build()) {
      offer(sink, 1, 1);
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    assertThat(server.handshakes.get(0))
        .containsEntry("", "GET /base/path/v1/events/socket HTTP/1.1")
        .containsEntry("x-tenant", "blue")
        .containsEntry("authorization", "Bearer s3cret-token");
  }
}
