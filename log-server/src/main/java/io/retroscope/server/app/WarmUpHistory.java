// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.cluster.LocalParts;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A small history in stores of its own, sealed but for its end: versions that nodes apply some time
 * after the first of them, and much later in rare slow periods. One log has few nodes, the next one
 * many, because walks treat them differently.
 */
final class WarmUpHistory implements AutoCloseable {
  private static final int[] NODE_COUNTS = {3, 30};
  private static final int BLOCK_ROWS = 1_000;

  /** The rows that are sealed together; fewer remain as they arrived. */
  private static final int BATCH_ROWS = 20_000;

  private static final long MEMORY_BYTES = 64L << 20;
  private static final long BEGIN_MICROS = 1_000_000_000_000_000L;
  private static final long STEP_MICROS = 300;
  private static final long SEED = 43;

  /** A node applies a version within this many steps. */
  private static final int MOST_STEPS = 40;

  /** The versions between the beginnings of slow periods. */
  private static final int SLOW_EVERY = 4_000;

  private static final int FIRST_SLOW = 500;
  private static final int SLOW_VERSIONS = 16;

  /** Numbers of six and of seven digits follow. */
  private static final long FIRST_VERSION = 995_000;

  private final Path folder;

  /** One, or those of a cluster's partitions. */
  private final List<EventStore> stores = new ArrayList<>();

  private final LocalParts parts;

  /** The number of the last block of each node's run. */
  private final Map<Integer, Long> numbers = new HashMap<>();

  /** The number of the last version of the last log. */
  private long last = FIRST_VERSION;

  /**
   * A history without events.
   *
   * @param folder removed if it exists, and at the end
   * @param storeCount 1, or several that are read as the partitions of a cluster
   */
  WarmUpHistory(Path folder, int storeCount) throws IOException {
    this.folder = folder;
    delete(folder);
    SealLimits limits = new SealLimits(BLOCK_ROWS, BATCH_ROWS, Integer.MAX_VALUE);
    StoreOptions options =
        new StoreOptions(0, new MemoryBudget(MEMORY_BYTES / storeCount), 0).sealingBy(limits);
    for (int i = 0; i < storeCount; i++) {
      Path own = folder.resolve(Integer.toString(i));
      stores.add(EventStore.open(own, options, () -> HlcTimestamp.MAX_MICROS));
    }
    parts = new LocalParts(stores);
  }

  /** Stores events and seals most of them, about this many for each log. */
  void write(int events) {
    for (int nodes : NODE_COUNTS) {
      append(nodes, events / nodes);
    }
    stores.forEach(WarmUpHistory::seal);
  }

  private static void seal(EventStore store) {
    while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
      // The next batch.
    }
  }

  /** The names of the logs. */
  static List<String> logs() {
    return Arrays.stream(NODE_COUNTS).mapToObj(WarmUpHistory::log).toList();
  }

  private static String log(int nodes) {
    return "nodes" + nodes;
  }

  /** The number of blocks that are sealed. */
  long sealedBlockCount() {
    return stores.stream().mapToLong(store -> store.figures().sealedBlockCount()).sum();
  }

  /** The time before its first event, in microseconds since 1970. */
  long beginMicros() {
    return BEGIN_MICROS + FIRST_VERSION * MOST_STEPS * STEP_MICROS;
  }

  /** A time after its last event, in microseconds since 1970. */
  long endMicros() {
    return BEGIN_MICROS + (last + 1) * MOST_STEPS * STEP_MICROS;
  }

  EventSource source() {
    return stores.size() > 1 ? parts : () -> stores.get(0).open(ClockOffsets.UNKNOWN);
  }

  private void append(int nodes, int versions) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int node = 0; node < nodes; node++) {
      List<EncodedFrame> frames = new ArrayList<>();
      EventBlockBuilder builder = new EventBlockBuilder(BLOCK_ROWS);
      for (int version = 1; version <= versions; version++) {
        long steps = steps(nodes, node, version, random.nextInt(MOST_STEPS));
        builder.add(event(nodes, node, last + version, last * MOST_STEPS + steps));
        if (builder.size() == BLOCK_ROWS || version == versions) {
          EventBlock block = builder.incarnation("r", numbers.merge(node, 1L, Long::sum)).build();
          frames.add(new EncodedFrame(block, EventBlockCodec.encode(block)));
          builder.clear();
        }
      }
      stores.get(node % stores.size()).append(new Submission.Frames(frames)).join();
    }
    last += versions + 1;
  }

  /** The steps from the begin of a log to the write of a version by a node, ascending for each. */
  private static long steps(int nodes, int node, int version, int late) {
    int ofPeriod = version % SLOW_EVERY - FIRST_SLOW;
    boolean isSlow = ofPeriod >= 0 && ofPeriod < SLOW_VERSIONS && node == nodes - 1;
    int rest = SLOW_VERSIONS - ofPeriod;
    return isSlow
        ? (long) (version + rest) * MOST_STEPS - rest
        : (long) version * MOST_STEPS + (node == 0 ? 0 : late);
  }

  private static Event event(int nodes, int node, long version, long steps) {
    return new Event(
        "n" + node,
        log(nodes),
        HlcTimestamp.pack(BEGIN_MICROS + STEP_MICROS * steps),
        new EventBody.StateChange(
            List.of(new Change(Operation.SET, "version", Value.of(version)))));
  }

  @Override
  public void close() throws IOException {
    parts.close();
    stores.forEach(EventStore::close);
    delete(folder);
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
