// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.disk.SourcePosition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store for days: 100 nodes, each of which sends a block of 20 events every 5 s of simulated
 * time, while blocks are sealed and removed in the background. Prints the heap after a collection,
 * the time to open the store, the 99th percentile of ingest, and what the store has in memory.
 *
 * <p>Six minutes with small batches by default. Seven days, of which three are kept, in pieces that
 * continue each other in one folder:
 *
 * <pre>mvn test -pl log-server -am -Dtest=SoakTest -Dsurefire.failIfNoSpecifiedTests=false
 *     -Dtest.jvm.args=-Xmx1g -Dretroscope.rounds=120960 -Dretroscope.folder=/tmp/soak</pre>
 *
 * <p>{@code -Dretroscope.day=N} makes each day one of N rounds, for a shorter run of the same
 * shape.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class SoakTest {
  private static final int NODES = 100;
  private static final int BLOCK_EVENTS = 20;
  private static final long ROUND_MICROS = 5_000_000;
  private static final String PLACE = "soak";

  /** As of the server: sealing stays behind the time that all nodes have reached. */
  private static final long SEALING_MARGIN_MICROS = 10_000_000;

  private static final int ROUNDS_PER_MINUTE = 12;

  /**
   * The size of a run.
   *
   * @param rounds the number of blocks of each node
   * @param kept the age of events at which they are removed
   * @param retainRounds the rounds between two removals
   * @param reportRounds the rounds between two reports, at which the store is opened again
   */
  private record Scale(
      int rounds, Duration kept, int retainRounds, int reportRounds, SealLimits limits) {
    static final Scale SMALL =
        new Scale(
            6 * ROUNDS_PER_MINUTE,
            Duration.ofMinutes(2),
            ROUNDS_PER_MINUTE,
            ROUNDS_PER_MINUTE,
            new SealLimits(1_024, 8_192, 512));

    static Scale ofDays(int rounds) {
      int day = Integer.getInteger("retroscope.day", 24 * 60 * ROUNDS_PER_MINUTE);
      Duration kept = Duration.ofSeconds(3L * day * ROUND_MICROS / 1_000_000);
      return new Scale(rounds, kept, day / 24, day, SealLimits.DEFAULT);
    }

    /** The largest number of events that may be stored: those kept, and those of one period. */
    long maxEvents() {
      long micros = TimeUnit.SECONDS.toMicros(kept.toSeconds());
      // A sealed block is removed with its last event.
      return (micros / ROUND_MICROS + retainRounds + 1L) * NODES * BLOCK_EVENTS
          + limits.batchRows() * 2L;
    }

    /** The largest number of blocks that may wait for sealing. */
    long maxUnsealed() {
      return limits.batchBlocks() + 2L * ROUNDS_PER_MINUTE * NODES;
    }

    /** The largest number of sealed blocks: batches are not multiples of a block. */
    long maxSealed() {
      return 4 * maxEvents() / Math.min(limits.rows(), limits.batchBlocks() * BLOCK_EVENTS);
    }
  }

  private final Scale scale =
      Optional.ofNullable(Integer.getInteger("retroscope.rounds"))
          .map(Scale::ofDays)
          .orElse(Scale.SMALL);

  private final MonotonicClock clock = MonotonicClock.system();
  private final int[] latencies = new int[scale.reportRounds * NODES];
  private int latencyCount;
  private long micros = StoreFixture.NOW_MICROS;

  @TempDir Path temporary;

  @Test
  void manyNodes_daysOfSealingAndRetention_takeBoundedMemory() {
    Path directory =
        Optional.ofNullable(System.getProperty("retroscope.folder"))
            .map(Path::of)
            .orElse(temporary);
    int round = 0;
    do {
      long before = clock.nanos();
      try (EventStore store = open(directory)) {
        round = roundsIn(store);
        report(store, round, clock.nanos() - before);
        round = run(store, round);
        assertBounded(store);
      }
    } while (round < scale.rounds);
    long before = clock.nanos();
    try (EventStore store = open(directory)) {
      report(store, round, clock.nanos() - before);
      assertThat(roundsIn(store)).isEqualTo(round);
      assertBounded(store);
    }
  }

  /** Runs to the next report; returns the number of rounds that are stored. */
  private int run(EventStore store, int from) {
    int end = Math.min(scale.rounds, from - from % scale.reportRounds + scale.reportRounds);
    CompletableFuture<?> background = CompletableFuture.completedFuture(null);
    for (int round = from; round < end; round++) {
      send(store, round);
      if ((round + 1) % ROUNDS_PER_MINUTE == 0) {
        // As in a server, blocks are sealed at the same time, and not faster than they arrive.
        background.join();
        long now = micros;
        boolean retain = (round + 1) % scale.retainRounds == 0;
        background = CompletableFuture.runAsync(() -> maintain(store, now, retain));
      }
    }
    background.join();
    return end;
  }

  private void maintain(EventStore store, long now, boolean retain) {
    long horizon = HlcTimestamp.pack(now - SEALING_MARGIN_MICROS);
    int replaced;
    do {
      replaced = store.seal(horizon);
    } while (replaced > 0);
    if (retain) {
      int unused = store.retain(Retention.ofAge(scale.kept, () -> now));
      store.expire(run -> true);
    }
  }

  private void assertBounded(EventStore store) {
    EventStore.Figures figures = store.figures();
    assertThat(figures.blockCount() - figures.sealedBlockCount()).isLessThan(scale.maxUnsealed());
    assertThat(figures.sealedBlockCount()).isLessThan(scale.maxSealed());
    assertThat(figures.damagedBlockCount()).isZero();
    assertThat(figures.lostEventCount()).isZero();
    assertThat(store.totals().events()).isLessThanOrEqualTo(scale.maxEvents());
    assertThat(store.incarnations()).hasSize(NODES);
    assertThat(store.lost()).isEmpty();
    try (EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.nodes()).hasSize(NODES);
      assertThat(view.gaps(HlcRange.ALL)).hasSizeLessThanOrEqualTo(NODES);
    }
  }

  private EventStore open(Path directory) {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(scale.limits);
    return EventStore.open(directory, options, () -> micros);
  }

  private static int roundsIn(EventStore store) {
    SourcePosition position = store.positions().get(PLACE);
    return position == null ? 0 : (int) position.next();
  }

  private void send(EventStore store, int round) {
    micros = StoreFixture.NOW_MICROS + round * ROUND_MICROS;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      // The last one marks the round as complete.
      List<SourcePosition> place =
          node == NODES - 1 ? List.of(new SourcePosition(PLACE, round + 1L, 0)) : List.of();
      Submission block =
          new Submission.Frames(List.of(StoreFixture.frame(block("n" + node, round))), place);
      long begun = clock.nanos();
      answers.add(
          store.append(block).thenAccept(receipt -> addLatency((clock.nanos() - begun) / 1_000)));
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
  }

  private synchronized void addLatency(long latencyMicros) {
    latencies[latencyCount++] = (int) latencyMicros;
  }

  private EventBlock block(String node, int round) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", round + 1L);
    long hlc = 0;
    for (int i = 0; i < BLOCK_EVENTS; i++) {
      hlc = HlcTimestamp.pack(micros - ROUND_MICROS + i * ROUND_MICROS / BLOCK_EVENTS);
      builder.add(StoreFixture.set(node, "soak", hlc, "x" + i % 3, round + i));
    }
    return builder.promise(hlc, 0, ROUND_MICROS).build();
  }

  private void report(EventStore store, int round, long openNanos) {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    EventStore.Figures figures = store.figures();
    Arrays.sort(latencies, 0, latencyCount);
    System.out.printf(
        Locale.ROOT,
        "day %.2f, %d blocks arrived: heap %.1f MiB (%.1f of it blocks in the cache), opened in"
            + " %.2f s%s, %d blocks of which %d sealed, %d events, %.1f MiB of files%n",
        (double) round / scale.reportRounds,
        (long) round * NODES,
        (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0,
        figures.cachedBytes() / 1048576.0,
        openNanos / 1e9,
        latencyCount == 0
            ? ""
            : ", ingest p99 %.1f ms".formatted(latencies[latencyCount * 99 / 100] / 1e3),
        figures.blockCount(),
        figures.sealedBlockCount(),
        store.totals().events(),
        figures.fileBytes() / 1048576.0);
    latencyCount = 0;
  }
}
