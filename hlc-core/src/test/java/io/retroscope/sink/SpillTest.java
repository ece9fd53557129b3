// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.LostBlocks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spill files that are deleted, damaged, or closed under an interrupted thread. */
class SpillTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int BLOCKS = 200;

  @TempDir Path directory;
  private FakeLogServer server;
  private final Warnings warnings = new Warnings();
  private final Logger logger = Logger.getLogger("io.retroscope.sink");

  private static final class Warnings extends Handler {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void publish(LogRecord entry) {
      count.incrementAndGet();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() throws IOException {
    server = new FakeLogServer();
    server.answer = batch -> 503;
    logger.addHandler(warnings);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(warnings);
    server.close();
  }

  private HttpSinkBuilder sink() {
    return HttpSink.builder()
        .server(server.uri())
        .maxMemoryBytes(20_000)
        .spill(directory, 100 << 20)
        .backoff(Duration.ofMillis(5), Duration.ofMillis(50))
        .closeTimeout(Duration.ofMillis(300));
  }

  /** Fills several segments. */
  private HttpSink filled() {
    HttpSink sink = sink().build();
    LongStream.rangeClosed(1, BLOCKS).forEach(n -> sink.accept(Blocks.block(n, 2, 50_000)));
    return sink;
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(path -> path.toString().endsWith(".spill")).sorted().toList();
    }
  }

  /**
   * Waits until each block has arrived or is declared lost and counted, and returns the number of
   * lost ones.
   */
  private int awaitAllAccountedFor(HttpSink sink) {
    server.answer = batch -> 200;
    assertThat(sink.flush(PATIENCE)).isFalse();
    await().atMost(PATIENCE).until(() -> server.numbers().contains((long) BLOCKS));
    List<Long> lost = new ArrayList<>();
    for (LostBlocks notice : server.lost()) {
      LongStream.rangeClosed(notice.firstNumber(), notice.lastNumber()).forEach(lost::add);
    }
    assertThat(server.lost().stream().mapToLong(LostBlocks::eventCount).sum())
        .isEqualTo(sink.lostEventCount());
    assertThat(sink.lostEventCount()).isEqualTo(lost.size() * 2L);
    assertThat(server.numbers()).doesNotContainAnyElementsOf(lost);
    TreeSet<Long> accounted = new TreeSet<>(server.numbers());
    accounted.addAll(lost);
    assertThat(accounted).hasSize(BLOCKS);
    return lost.size();
  }

  @Test
  void segment_deleted_isDeclaredLostAndTheOthersArrive() throws IOException {
    try (HttpSink sink = filled()) {
      Files.delete(segments().get(1));
      int lost = awaitAllAccountedFor(sink);
      assertThat(lost).isBetween(30, 90);
    }
    assertThat(warnings.count.get()).isLessThan(20);
  }

  @Test
  void segments_allDeleted_whatComesNextArrives() throws IOException {
    try (HttpSink sink = filled()) {
      for (Path each : segments()) {
        Files.delete(each);
      }
      server.answer = batch -> 200;
      assertThat(sink.flush(PATIENCE)).isFalse();
      sink.accept(Blocks.block(BLOCKS + 1, 1, 10));
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(server.numbers()).contains(BLOCKS + 1L);
      assertThat(sink.lostEventCount()).isGreaterThan(BLOCKS);
    }
    assertThat(warnings.count.get()).isLessThan(20);
  }

  @Test
  void segment_damagedInItsMiddle_itsRestIsDeclaredLost() throws IOException {
    try (HttpSink sink = filled()) {
      Path second = segments().get(1);
      try (RandomAccessFile file = new RandomAccessFile(second.toFile(), "rw")) {
        file.seek(Files.size(second) / 2);
        file.write(~file.read());
      }
      int lost = awaitAllAccountedFor(sink);
      assertThat(lost).isBetween(15, 60);
    }
  }

  @Test
  void segment_emptied_isDeclaredLost() throws IOException {
    try (HttpSink sink = filled()) {
      try (RandomAccessFile file = new RandomAccessFile(segments().get(1).toFile(), "rw")) {
        file.setLength(0);
      }
      awaitAllAccountedFor(sink);
    }
  }

  @Test
  void close_callerInterrupted_delivers() {
    server.answer = batch -> 200;
    HttpSink sink = sink().closeTimeout(PATIENCE).build();
    LongStream.rangeClosed(1, BLOCKS).forEach(n -> sink.accept(Blocks.block(n, 2, 5_000)));
    Thread.currentThread().interrupt();
    sink.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sink.lostEventCount()).isZero();
    assertThat(server.numbers()).hasSize(BLOCKS);
  }

  @Test
  void close_callerInterruptedAndServerAway_theSpillKeepsAll() {
    HttpSink sink = sink().maxMemoryBytes(3_000_000).build();
    LongStream.rangeClosed(1, BLOCKS).forEach(n -> sink.accept(Blocks.block(n, 2, 50_000)));
    Thread.currentThread().interrupt();
    sink.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sink.lostEventCount()).isZero();
    server.answer = batch -> 200;
    try (HttpSink next = sink().build()) {
      assertThat(next.statistics().deliveredBlocks()).isNotNegative();
      await().atMost(PATIENCE).until(() -> new TreeSet<>(server.numbers()).size() == BLOCKS);
    }
  }
}
