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
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A small sealed history in a store of its own: versions that nodes apply some time after the first
 * of them. One log has few nodes, another many, because walks treat them differently.
 */
final class WarmUpHistory implements AutoCloseable {
  private static final int[] NODE_COUNTS = {3, 30};
  private static final int BLOCK_ROWS = 2_000;
  private static final long BEGIN_MICROS = 1_000_000_000_000_000L;
  private static final long STEP_MICROS = 300;
  private static final long SEED = 43;

  /** A node applies a version within this many steps. */
  private static final int MOST_STEPS = 40;

  private final Path folder;
  private final EventStore store;

  /**
   * A history without events.
   *
   * @param folder removed if it exists, and at the end
   */
  WarmUpHistory(Path folder) throws IOException {
    this.folder = folder;
    delete(folder);
    SealLimits atOnce = new SealLimits(SealLimits.DEFAULT.rows(), Integer.MAX_VALUE, 1);
    StoreOptions options = new StoreOptions(0, new MemoryBudget(64L << 20), 0).sealingBy(atOnce);
    store = EventStore.open(folder, options, () -> HlcTimestamp.MAX_MICROS);
  }

  /** Stores the events and seals them, about this many for each log. */
  void write(int events) {
    for (int nodes : NODE_COUNTS) {
      append(nodes, events / nodes);
    }
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

  EventSource source() {
    return () -> store.open(ClockOffsets.UNKNOWN);
  }

  private void append(int nodes, int versions) {
    SplittableRandom random = new SplittableRandom(SEED);
    List<EncodedFrame> frames = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      EventBlockBuilder builder = new EventBlockBuilder(BLOCK_ROWS);
      long number = 0;
      for (int version = 1; version <= versions; version++) {
        builder.add(event(nodes, node, version, random.nextInt(MOST_STEPS)));
        if (builder.size() == BLOCK_ROWS || version == versions) {
          EventBlock block = builder.incarnation(log(nodes), ++number).build();
          frames.add(new EncodedFrame(block, EventBlockCodec.encode(block)));
          builder.clear();
        }
      }
    }
    store.append(new Submission.Frames(frames)).join();
  }

  private static Event event(int nodes, int node, long version, int steps) {
    long micros = BEGIN_MICROS + STEP_MICROS * (version * MOST_STEPS + (node == 0 ? 0 : steps));
    Change set = new Change(Operation.SET, "version", Value.of(version));
    return new Event(
        "n" + node, log(nodes), HlcTimestamp.pack(micros), new EventBody.StateChange(List.of(set)));
  }

  @Override
  public void close() throws IOException {
    store.close();
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
