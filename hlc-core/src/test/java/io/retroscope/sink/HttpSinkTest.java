// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpSinkTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private FakeLogServer server;

  @BeforeEach
  void start() throws IOException {
    server = new FakeLogServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpSinkBuilder sink() {
    return HttpSink.builder()
        .server(server.uri())
        .backoff(Duration.ofMillis(5), Duration.ofMillis(50))
        .closeTimeout(Duration.ofMillis(300));
  }

  private static void offer(HttpSink sink, long from, long to, int textLength) {
    LongStream.rangeClosed(from, to)
        .forEach(number -> sink.accept(Blocks.block(number, 2, textLength)));
  }

  private static List<Long> range(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  void flush_serverThere_everythingHasArrivedInOrder() {
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 200, 500);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 200));
      assertThat(sink.statistics().deliveredBlocks()).isEqualTo(200);
    }
  }

  @Test
  void accept_whileARequestIsUnderWay_gathersABatch() {
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 200, 10);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.requestSizes.size()).isLessThan(200);
    }
  }

  @Test
  void accept_serverAwayForAWhile_isSentAgainUntilItAnswers() {
    AtomicInteger requests = new AtomicInteger();
    server.answer = batch -> requests.incrementAndGet() <= 4 ? 503 : 200;
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 3, 10);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 3));
      assertThat(sink.statistics().retries()).isGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void close_serverReachable_losesNothing() {
    HttpSink sink = sink().closeTimeout(PATIENCE).build();
    offer(sink, 1, 500, 100);
    sink.close();
    assertThat(server.numbers()).isEqualTo(range(1, 500));
    assertThat(sink.lostEventCount()).isZero();
  }

  @Test
  void accept_oneBlockRefused_theOthersArriveAndItsNumberIsDeclaredLost() {
    server.answer = batch -> holds(batch, 7) ? 400 : 200;
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 20, 10);
      assertThat(sink.flush(PATIENCE)).isFalse();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(server.numbers())
                      .containsExactlyElementsOf(
                          range(1, 20).stream().filter(number -> number != 7).toList()));
      assertThat(server.lost())
          .containsExactly(
              new LostBlocks("zk1", "5f2c", 7, 7, 2, Blocks.stamp(7_000), Blocks.stamp(7_001)));
      assertThat(sink.statistics().refusedBlocks()).isEqualTo(1);
    }
  }

  @Test
  void accept_conflict_isNotSentForEver() {
    server.answer = batch -> holds(batch, 2) ? 409 : 200;
    try (HttpSink sink = sink().build()) {
      offer(sink, 1, 3, 10);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(server.numbers()).containsExactly(1L, 3L));
      assertThat(server.lost()).isEmpty();
      assertThat(sink.statistics().refusedBlocks()).isEqualTo(1);
    }
  }

  @Test
  void accept_memoryFullWithoutSpill_oldestAreDeclaredLostAsOne() {
    server.answer = batch -> 503;
    try (HttpSink sink = sink().gzip(false).maxMemoryBytes(50_000).build()) {
      sink.accept(Blocks.block(1, 1, 10));
      await().atMost(PATIENCE).until(() -> sink.statistics().retries() > 0);
      offer(sink, 2, 100, 1_000);
      server.answer = batch -> 200;
      sink.flush(PATIENCE);
      List<LostBlocks> lost = server.lost();
      assertThat(lost).hasSize(1);
      assertThat(lost.get(0).firstNumber()).isEqualTo(2);
      assertThat(lost.get(0).eventCount()).isEqualTo(sink.lostEventCount());
      assertThat(server.numbers()).startsWith(1L, lost.get(0).lastNumber() + 1).endsWith(100L);
      assertThat(server.numbers().size() + lost.get(0).lastNumber() - 1).isEqualTo(100);
    }
  }

  @Test
  void accept_memoryFullWithSpill_everythingArrives() {
    server.answer = batch -> 503;
    try (HttpSink sink = sink().maxMemoryBytes(20_000).spill(directory, 100 << 20).build()) {
      offer(sink, 1, 300, 1_000);
      server.answer = batch -> 200;
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 300));
    }
    assertThat(directory.toFile().list()).containsExactly("lock");
  }

  @Test
  void accept_spillFull_oldestSegmentIsDeclaredLost() {
    server.answer = batch -> 503;
    try (HttpSink sink =
        sink().closeTimeout(PATIENCE).maxMemoryBytes(20_000).spill(directory, 12 << 20).build()) {
      offer(sink, 1, 200, 50_000);
      server.answer = batch -> 200;
      sink.flush(PATIENCE);
      long lost = server.lost().stream().mapToLong(LostBlocks::eventCount).sum();
      assertThat(lost).isPositive().isEqualTo(sink.lostEventCount());
      assertThat(server.numbers().size() * 2L + lost).isEqualTo(400);
      assertThat(server.numbers()).doesNotHaveDuplicates().endsWith(200L);
    }
  }

  @Test
  void close_serverAwayWithSpill_nextProcessDeliversIt() {
    server.answer = batch -> 503;
    HttpSink first = sink().spill(directory, 100 << 20).build();
    offer(first, 1, 50, 100);
    first.close();
    assertThat(first.lostEventCount()).isZero();
    server.answer = batch -> 200;
    try (HttpSink second = sink().spill(directory, 100 << 20).build()) {
      // A request in flight when the first sink closed may have arrived as well.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(server.numbers().stream().distinct().toList())
                      .isEqualTo(range(1, 50)));
      offer(second, 51, 52, 10);
      assertThat(second.flush(PATIENCE)).isTrue();
    }
  }

  @Test
  void close_serverAwayWithoutSpill_returnsInTimeAndCountsTheLoss() {
    server.answer = batch -> 503;
    HttpSink sink = sink().build();
    offer(sink, 1, 5, 10);
    sink.close();
    assertThat(sink.lostEventCount()).isEqualTo(10);
  }

  @Test
  void accept_nobodyListens_keepsTryingUntilSomebodyDoes() throws IOException {
    Socket held = new Socket(); // Keeps the port for this test, and does not listen.
    held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    int port = held.getLocalPort();
    try (held;
        HttpSink sink = sink().server(URI.create("http://127.0.0.1:" + port)).build()) {
      offer(sink, 1, 3, 10);
      await().atMost(PATIENCE).until(() -> sink.statistics().retries() > 1);
      server.close();
      held.close();
      server = new FakeLogServer(port);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 3));
    }
  }

  @Test
  void accept_answerThatNeverEnds_isGivenUp() {
    server.unended.set(1);
    try (HttpSink sink = sink().requestTimeout(Duration.ofMillis(500)).build()) {
      offer(sink, 1, 3, 10);
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).isEqualTo(range(1, 3));
      assertThat(sink.statistics().retries()).isPositive();
    }
  }

  @Test
  void accept_bareHeartbeat_isDeliveredAndOnlyTheNewestKept() {
    try (HttpSink sink = sink().build()) {
      sink.accept(Blocks.heartbeat(1, 5));
      await().atMost(PATIENCE).until(() -> server.frames.size() == 1);
      server.answer = batch -> 503;
      for (int i = 0; i < 50; i++) {
        sink.accept(Blocks.heartbeat(1, 10 + i));
      }
      server.answer = batch -> 200;
      await()
          .atMost(PATIENCE)
          .until(() -> server.frames.size() > 1 || sink.statistics().retries() > 0);
      sink.accept(Blocks.heartbeat(1, 100));
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  ((EventBlock) server.frames.get(server.frames.size() - 1)).heartbeat()
                      == Blocks.stamp(100));
      assertThat(server.frames.size()).isLessThan(10);
    }
  }

  @Test
  void build_spillInUse_isRefused() {
    try (HttpSink first = sink().spill(directory, 1 << 20).build()) {
      assertThat(first.statistics().deliveredBlocks()).isZero();
      HttpSinkBuilder second = sink().spill(directory, 1 << 20);
      assertThatThrownBy(second::build)
          .isInstanceOf(UncheckedIOException.class)
          .hasStackTraceContaining("another sink uses");
    }
  }

  private static boolean holds(List<BlockFrame> batch, long number) {
    return batch.stream()
        .anyMatch(frame -> frame instanceof EventBlock block && block.number() == number);
  }
}
