// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A log in a store on disk, whose cache of decoded blocks is off. */
final class LogOnDisk {
  private static final int FRAMES_PER_APPEND = 64;
  private static final long NOW_MICROS = 1_900_000_000_000_000L;

  private LogOnDisk() {}

  /** Stores the events of a log. */
  static void fill(Path folder, StalenessLog.Columns log, int rows) {
    fill(folder, IntStream.range(0, log.micros().length).mapToObj(log::event), rows);
  }

  /** Stores events, which are in order. */
  static void fill(Path folder, Stream<Event> events, int rows) {
    try (EventStore store = open(folder)) {
      fill(store, events, rows);
      store.compact();
    }
  }

  /** Seals all blocks, also those that are too few for a usual batch. */
  static void seal(Path folder, int events) {
    long before;
    double seconds;
    try (EventStore store = open(folder)) {
      before = store.figures().fileBytes();
      seconds = sealAll(store);
    }
    try (EventStore store = open(folder, restOf(folder))) {
      seconds += sealAll(store);
      store.compact();
      System.out.printf(
          Locale.ROOT,
          "sealing: %.2f M events/s, %d of %d blocks sealed, %.2f B/event before, %.2f after%n",
          events / seconds / 1e6,
          store.figures().sealedBlockCount(),
          store.figures().blockCount(),
          (double) before / events,
          (double) store.figures().fileBytes() / events);
    }
  }

  private static double sealAll(EventStore store) {
    long began = System.nanoTime();
    while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
      // The next batch.
    }
    return (System.nanoTime() - began) / 1e9;
  }

  /** Limits by which the blocks that are too few for a usual batch are one. */
  private static SealLimits restOf(Path folder) {
    try (EventStore store = open(folder)) {
      long rest = store.figures().blockCount() - store.figures().sealedBlockCount();
      return new SealLimits(Sealing.ROWS, Integer.MAX_VALUE, (int) Math.max(1, rest));
    }
  }

  private static EventStore open(Path folder, SealLimits limits) {
    StoreOptions options = new StoreOptions(0, new MemoryBudget(256 << 20), 0).sealingBy(limits);
    return EventStore.open(folder.resolve("data"), options, () -> NOW_MICROS);
  }

  static EventStore open(Path folder) {
    return open(folder, SealLimits.DEFAULT);
  }

  /** Each node's events in blocks of their own, as its recorder sends them. */
  private static void fill(EventStore store, Stream<Event> events, int rows) {
    Map<String, EventBlockBuilder> builders = new HashMap<>();
    Map<String, Long> numbers = new HashMap<>();
    List<Submission.EncodedFrame> frames = new ArrayList<>();
    for (Iterator<Event> rest = events.iterator(); rest.hasNext(); ) {
      Event event = rest.next();
      EventBlockBuilder builder =
          builders.computeIfAbsent(event.node(), node -> new EventBlockBuilder());
      builder.add(event);
      if (builder.size() == rows) {
        add(frame(builder, numbers.merge(event.node(), 1L, Long::sum)), frames, store);
      }
    }
    builders.forEach(
        (node, rest) -> {
          if (rest.size() > 0) {
            add(frame(rest, numbers.merge(node, 1L, Long::sum)), frames, store);
          }
        });
    store.append(new Submission.Frames(frames)).join();
  }

  private static void add(
      Submission.EncodedFrame frame, List<Submission.EncodedFrame> frames, EventStore store) {
    frames.add(frame);
    if (frames.size() == FRAMES_PER_APPEND) {
      store.append(new Submission.Frames(frames)).join();
      frames.clear();
    }
  }

  private static Submission.EncodedFrame frame(EventBlockBuilder builder, long number) {
    EventBlock block = builder.incarnation("5f2c", number).build();
    builder.clear();
    return new Submission.EncodedFrame(block, EventBlockCodec.encode(block));
  }
}
