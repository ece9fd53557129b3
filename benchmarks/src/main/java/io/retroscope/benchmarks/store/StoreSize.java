// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.store;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventBody.Start;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A measurement of the disk space, the heap and the opening time of a store with a given number of
 * blocks, for sizing a server. Each block sets ten variables of one log at one node in turn.
 */
public final class StoreSize {
  private static final int VARIABLES = 10;
  private static final long START_MICROS = 1_790_000_000_000_000L;
  private static final int BLOCKS_PER_SYNC = 100;

  private StoreSize() {}

  /**
   * Takes the numbers of blocks, of events of each, and of nodes. Prints the figures before and
   * after sealing.
   */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "blocks, events of each, nodes");
    int blocks = given.number(0);
    int events = given.number(1);
    int nodes = given.number(2);
    try (ScratchFolder scratch = ScratchFolder.create("size")) {
      Path folder = scratch.path();
      Path data = folder.resolve("data");
      long empty = heapBytes();
      try (EventStore store = open(data)) {
        fill(store, blocks, events, nodes);
        store.compact();
      }
      print(data, blocks, events, nodes, empty);
      try (EventStore store = open(data)) {
        while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
          // The next batch.
        }
        store.compact();
      }
      print(data, blocks, events, nodes, empty);
    }
  }

  private static void print(Path data, int blocks, int events, int nodes, long empty)
      throws IOException {
    long began = System.nanoTime();
    try (EventStore store = open(data)) {
      double openSeconds = (System.nanoTime() - began) / 1e9;
      long heap = heapBytes() - empty;
      long disk = bytes(data);
      System.out.printf(
          Locale.ROOT,
          "%d blocks, %d of them sealed, of %d blocks of %d events of %d nodes that arrived:"
              + " %.0f bytes of disk and %.0f of heap for each"
              + " (%.1f bytes of disk an event); opened in %.2f s; heap %d MiB, disk %d MiB%n",
          store.figures().blockCount(),
          store.figures().sealedBlockCount(),
          blocks,
          events,
          nodes,
          (double) disk / blocks,
          (double) heap / blocks,
          (double) disk / blocks / events,
          openSeconds,
          heap >> 20,
          disk >> 20);
    }
  }

  private static EventStore open(Path data) {
    // Without a cache of blocks, which would be all that grows.
    return EventStore.open(
        data, new StoreOptions(0, new MemoryBudget(64 << 20), 0), () -> 2 * START_MICROS);
  }

  private static void fill(EventStore store, int blocks, int events, int nodes) {
    List<Submission.EncodedFrame> frames = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      EventBlock made = block(block % nodes, block / nodes, events, nodes);
      frames.add(new Submission.EncodedFrame(made, EventBlockCodec.encode(made)));
      if (frames.size() == BLOCKS_PER_SYNC || block == blocks - 1) {
        store.append(new Submission.Frames(frames)).join();
        frames.clear();
      }
    }
  }

  /** A node has an event every millisecond; nodes take turns in between. */
  private static EventBlock block(int node, int number, int events, int nodes) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", 1 + number);
    String name = "node-" + node;
    long hlc = 0;
    for (int i = number * events; i < (number + 1) * events; i++) {
      hlc = HlcTimestamp.pack(START_MICROS + i * 1_000L + node * 1_000L / nodes);
      if (i == 0) {
        builder.add(
            new Event(name, "", hlc, new Start("i", HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE)));
      } else {
        Change change =
            new Change(Operation.SET, "variable-" + i % VARIABLES, Value.of(i / VARIABLES));
        builder.add(new Event(name, "log", hlc, new StateChange(List.of(change))));
      }
    }
    return builder.promise(hlc, 0).build();
  }

  private static long heapBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static long bytes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
