// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.store;

import io.retroscope.benchmarks.engine.StalenessLog;
import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A measurement of the store's interface: the events per second of the process's CPU time that are
 * stored, with each call synced, and sealed afterwards; then the bytes on disk, the heap and the
 * time to open the store, also as far as they go for a billion events. The events are those of a
 * staleness log, whose preparation is not counted.
 */
public final class IngestRates {
  private static final int SEED = 7;
  private static final int SEGMENT_EVENTS = 500_000;
  private static final long NOW_MICROS = 1_900_000_000_000_000L;
  private static final double BILLION = 1e9;

  private final int nodes;
  private final int rows;
  private final int callRows;
  private final BatchReader reader = new BatchReader(NdjsonReader.Limits.BATCH);
  private final Map<String, Long> numbers = new HashMap<>();
  private long ingestNanos;
  private long sealNanos;

  private IngestRates(int nodes, int rows, int callRows) {
    this.nodes = nodes;
    this.rows = rows;
    this.callRows = callRows;
  }

  /**
   * Takes the number of events in thousands, of nodes, of events of a block (0 for lines of
   * NDJSON), and of events of a call.
   */
  public static void main(String[] args) throws IOException {
    Arguments given =
        new Arguments(args, "thousands of events, nodes, events of a block or 0, events of a call");
    int segments = Math.max(1, given.number(0) * 1_000 / SEGMENT_EVENTS);
    int nodes = given.number(1);
    int rows = given.number(2);
    try (ScratchFolder scratch = ScratchFolder.create("ingest")) {
      Path folder = scratch.path();
      new IngestRates(nodes, rows, given.number(3)).run(folder.resolve("data"), segments);
    }
  }

  private void run(Path data, int segments) throws IOException {
    StalenessLog.Columns log = new StalenessLog(nodes, SEGMENT_EVENTS, SEED).columns();
    long events = (long) segments * SEGMENT_EVENTS;
    try (EventStore store = open(data, SealLimits.DEFAULT)) {
      for (int segment = 0; segment < segments; segment++) {
        List<byte[]> calls = rows == 0 ? lines(log, segment) : List.of();
        List<Submission> submissions = rows == 0 ? List.of() : frames(log, segment);
        long began = CpuTime.ofProcess();
        for (byte[] call : calls) {
          try (MemoryBudget.Charge charge = store.memory().charge()) {
            store.append(reader.read(Optional.empty(), Optional.empty(), call, charge)).join();
          }
        }
        submissions.forEach(submission -> store.append(submission).join());
        long stored = CpuTime.ofProcess();
        while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
          // The next batch.
        }
        ingestNanos += stored - began;
        sealNanos += CpuTime.ofProcess() - stored;
        if (segment == 0 && segments > 2) {
          ingestNanos = 0; // The first one compiles.
          sealNanos = 0;
        }
      }
      long counted = segments > 2 ? events - SEGMENT_EVENTS : events;
      System.out.printf(
          Locale.ROOT,
          "%d events of %d nodes, %s, %d a call: %.2f M events/s of CPU time stored, %.2f sealed,"
              + " %.2f both%n",
          events,
          nodes,
          rows == 0 ? "lines" : "blocks of " + rows,
          callRows,
          1e3 * counted / ingestNanos,
          1e3 * counted / sealNanos,
          1e3 * counted / (ingestNanos + sealNanos));
    }
    sealRest(data);
    print(data, events);
  }

  /** Seals the blocks that are too few for a usual batch, of which there are always some. */
  private static void sealRest(Path data) {
    int waiting;
    try (EventStore store = open(data, SealLimits.DEFAULT)) {
      EventStore.Figures figures = store.figures();
      waiting = (int) (figures.blockCount() - figures.sealedBlockCount());
    }
    SealLimits all = new SealLimits(Sealing.ROWS, Integer.MAX_VALUE, Math.max(1, waiting));
    try (EventStore store = open(data, all)) {
      int unused = store.seal(HlcTimestamp.MAX_PACKED);
      store.compact();
    }
  }

  private static void print(Path data, long events) {
    open(data.resolveSibling("empty"), SealLimits.DEFAULT).close();
    long began = System.nanoTime();
    open(data.resolveSibling("empty"), SealLimits.DEFAULT).close();
    double emptySeconds = (System.nanoTime() - began) / 1e9;
    long empty = heapBytes();
    began = System.nanoTime();
    try (EventStore store = open(data, SealLimits.DEFAULT)) {
      double seconds = (System.nanoTime() - began) / 1e9;
      long heap = Math.max(0, heapBytes() - empty);
      EventStore.Figures figures = store.figures();
      if (store.totals().events() != events) {
        throw new AssertionError(store.totals().events() + " events instead of " + events);
      }
      System.out.printf(
          Locale.ROOT,
          "%d blocks, %d of them sealed; %.2f bytes of disk an event; heap %.2f MiB, opened in %.2f"
              + " s, an empty store in %.2f s; so for a billion events %.0f MiB and %.1f s%n",
          figures.blockCount(),
          figures.sealedBlockCount(),
          (double) figures.fileBytes() / events,
          heap / 1048576.0,
          seconds,
          emptySeconds,
          heap / 1048576.0 * BILLION / events,
          emptySeconds + (seconds - emptySeconds) * BILLION / events);
    }
  }

  private List<Submission> frames(StalenessLog.Columns log, int segment) {
    Map<String, EventBlockBuilder> builders = new HashMap<>();
    List<Submission> calls = new ArrayList<>();
    List<Submission.EncodedFrame> frames = new ArrayList<>();
    for (int i = 0; i < SEGMENT_EVENTS; i++) {
      Event event = event(log, i, segment);
      EventBlockBuilder builder =
          builders.computeIfAbsent(event.node(), node -> new EventBlockBuilder());
      builder.add(event);
      if (builder.size() == rows) {
        frames.add(frame(event.node(), builder));
        if (frames.size() * rows >= callRows) {
          calls.add(new Submission.Frames(frames));
          frames.clear();
        }
      }
    }
    builders.forEach(
        (node, rest) -> {
          if (rest.size() > 0) {
            frames.add(frame(node, rest));
          }
        });
    if (!frames.isEmpty()) {
      calls.add(new Submission.Frames(frames));
    }
    return calls;
  }

  private Submission.EncodedFrame frame(String node, EventBlockBuilder builder) {
    EventBlock block = builder.incarnation("5f2c", numbers.merge(node, 1L, Long::sum)).build();
    builder.clear();
    return new Submission.EncodedFrame(block, EventBlockCodec.encode(block));
  }

  private List<byte[]> lines(StalenessLog.Columns log, int segment) throws IOException {
    List<byte[]> calls = new ArrayList<>();
    for (int from = 0; from < SEGMENT_EVENTS; from += callRows) {
      StringWriter out = new StringWriter();
      NdjsonWriter writer = new NdjsonWriter(out);
      for (int i = from; i < Math.min(SEGMENT_EVENTS, from + callRows); i++) {
        writer.event(event(log, i, segment));
      }
      calls.add(out.toString().getBytes(StandardCharsets.UTF_8));
    }
    return calls;
  }

  /** An event of the log, later by the length of the segments before it. */
  private static Event event(StalenessLog.Columns log, int i, int segment) {
    int last = log.micros().length - 1;
    long span = log.micros()[last] - log.micros()[0] + 1_000;
    Value version = Value.of(log.versions()[i] + segment * log.versions()[last]);
    return new Event(
        "zk" + log.nodes()[i],
        "setd",
        HlcTimestamp.pack(log.micros()[i] + segment * span),
        new StateChange(List.of(new Change(Operation.SET, "r1", version))));
  }

  private static EventStore open(Path data, SealLimits limits) {
    // Without a cache of blocks, which would be all that grows.
    StoreOptions options = new StoreOptions(0, new MemoryBudget(256 << 20), 0).sealingBy(limits);
    return EventStore.open(data, options, () -> NOW_MICROS);
  }

  private static long heapBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
