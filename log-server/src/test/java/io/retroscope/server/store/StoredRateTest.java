// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A guard of the ratios between walks over a store, from which each block is read and decoded, and
 * a plain loop over arrays that answers the same question, in CPU time of one thread. Each limit is
 * some half of the ratio on a machine with much other load. The loop is for exactly three nodes,
 * and so is faster than that of the benchmarks.
 *
 * <pre>mvn test -Pslow -pl log-server -am -Dtest=StoredRateTest
 *     -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("slow")
class StoredRateTest {
  private static final int EVENTS = 1_500_000;
  private static final int NODES = 3;
  private static final int BLOCK_ROWS = 20;
  private static final int FRAMES_PER_APPEND = 640;
  private static final int ROUNDS = 61;
  private static final int STALE = 12;
  private static final String STALENESS = "SELECT x FROM l WHEN SPREAD(x) > %d;";

  private final long[] hlc = new long[EVENTS];
  private final int[] nodes = new int[EVENTS];
  private final long[] numbers = new long[EVENTS];

  @TempDir Path folder;

  @Test
  void run_overAStore_isAFractionOfTheLoop() {
    fillArrays();
    long rest;
    try (EventStore store = open(SealLimits.DEFAULT)) {
      fill(store);
      assertRatio(store, STALE, 0.025);
      StoreFixture.sealAll(store);
      rest = store.figures().blockCount() - store.figures().sealedBlockCount();
    }
    // The blocks that are too few for a usual batch are one.
    SealLimits limits = new SealLimits(Sealing.ROWS, Integer.MAX_VALUE, (int) Math.max(1, rest));
    try (EventStore store = open(limits)) {
      StoreFixture.sealAll(store);
      assertThat(store.figures().sealedBlockCount()).isEqualTo(store.figures().blockCount());
      assertRatio(store, STALE, 0.08);
      // The zones show that there is no answer.
      assertRatio(store, 1_000, 1);
    }
  }

  /** Rising numbers, of which each node has the latest but for a few. */
  private void fillArrays() {
    Random random = new Random(7);
    for (int i = 0; i < EVENTS; i++) {
      hlc[i] = StoreFixture.hlc(StoreFixture.NOW_MICROS - 10L * (EVENTS - i));
      // One of each node at the end, where its last block is stored.
      nodes[i] = i < EVENTS - NODES ? random.nextInt(NODES) : i % NODES;
      numbers[i] = i / (long) NODES - (random.nextInt(10_000) == 0 ? STALE + 1 : random.nextInt(3));
    }
  }

  private EventStore open(SealLimits limits) {
    StoreOptions options = new StoreOptions(0, new MemoryBudget(256 << 20), 0).sealingBy(limits);
    return EventStore.open(folder, options, () -> StoreFixture.NOW_MICROS);
  }

  private void fill(EventStore store) {
    EventBlockBuilder[] builders = new EventBlockBuilder[NODES];
    long[] blocks = new long[NODES];
    List<EncodedFrame> frames = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      int node = nodes[i];
      builders[node] = builders[node] == null ? new EventBlockBuilder() : builders[node];
      builders[node].add(StoreFixture.set("n" + node, "l", hlc[i], "x", numbers[i]));
      if (builders[node].size() == BLOCK_ROWS || i >= EVENTS - NODES) {
        frames.add(StoreFixture.frame(builders[node].incarnation("r", ++blocks[node]).build()));
        builders[node].clear();
      }
      if (frames.size() == FRAMES_PER_APPEND || i == EVENTS - 1) {
        store.append(new Submission.Frames(frames)).join();
        frames.clear();
      }
    }
  }

  private void assertRatio(EventStore store, int bound, double least) {
    QueryEngine engine =
        new QueryEngine(
            () -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT.withWalkThreads(1));
    PreparedQuery query = engine.prepare(STALENESS.formatted(bound));
    int expected = countStale(bound);
    assertThat(count(engine, query)).isEqualTo(expected);
    double walk = leastNanos(() -> count(engine, query));
    double loop = leastNanos(() -> countStale(bound));
    System.out.printf("SPREAD(x) > %d: %.3f of the loop, %d rows%n", bound, loop / walk, expected);
    assertThat(loop / walk).as("loop %f ns, walk %f ns", loop, walk).isGreaterThan(least);
  }

  /** The number of cuts at which the spread is over a bound; each event has its own stamp. */
  private int countStale(int bound) {
    long[] now = new long[NODES];
    int seen = 0;
    int stale = 0;
    long last = 0;
    for (int i = 0; i < EVENTS; i++) {
      last = hlc[i];
      now[nodes[i]] = numbers[i];
      seen |= 1 << nodes[i];
      long low = Long.MAX_VALUE;
      long high = Long.MIN_VALUE;
      for (int node = 0; node < NODES; node++) {
        if ((seen & 1 << node) != 0) {
          low = Math.min(low, now[node]);
          high = Math.max(high, now[node]);
        }
      }
      stale += high - low > bound ? 1 : 0;
    }
    return last == 0 ? -1 : stale;
  }

  private static int count(QueryEngine engine, PreparedQuery query) {
    RowCount rows = new RowCount();
    engine.run(query, rows);
    return rows.count;
  }

  /** The time of the round that other work on the machine has slowed down least. */
  private static double leastNanos(IntSupplier work) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long began = thread.getCurrentThreadCpuTime();
      assertThat(work.getAsInt()).isNotNegative();
      least = Math.min(least, thread.getCurrentThreadCpuTime() - began);
    }
    return least;
  }

  /** Counts rows. */
  private static final class RowCount implements RowSink {
    private int count;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count++;
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
