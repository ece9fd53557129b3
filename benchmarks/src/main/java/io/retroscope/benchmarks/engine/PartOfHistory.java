// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A measurement of what a part of a long history costs in a sealed store: a hundredth of its time
 * in the middle, and a variable that a thousandth of its blocks hold, in CPU time of the query's
 * thread, beside the same question about the whole history. The store's cache of decoded blocks is
 * off. Prints the heap and the time to open the store as well.
 */
public final class PartOfHistory {
  private static final int NODES = 3;
  private static final int BLOCK_ROWS = 4_096;
  private static final int RARE_EVERY = 1_000 * Sealing.ROWS;
  private static final long START_MICROS = 1_790_000_000_000_000L;
  private static final long STEP_MICROS = 100;

  /** Questions of which the first is answered by the rows, and the others by zones. */
  private static final List<String> QUESTIONS =
      List.of(
          "(r1@n0 + r1@n1) % 1009 = 1008 AND r1@n2 % 1013 = 1012",
          "SPREAD(r1) > 1000000", "r1@n0 * 3 - r1@n1 > 1000000000000");

  private final int events;
  private final int rounds;

  private PartOfHistory(int events, int rounds) {
    this.events = events;
    this.rounds = rounds;
  }

  /** Takes the number of events in millions, and of rounds. */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "millions of events, rounds");
    new PartOfHistory(1_000_000 * given.number(0), given.number(1)).measure();
  }

  private void measure() throws IOException {
    try (ScratchFolder scratch = ScratchFolder.create("part")) {
      Path folder = scratch.path();
      LogOnDisk.fill(folder, IntStream.range(0, events).mapToObj(PartOfHistory::event), BLOCK_ROWS);
      LogOnDisk.seal(folder, events);
      long before = usedHeap();
      long began = System.nanoTime();
      try (EventStore store = LogOnDisk.open(folder)) {
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf(
            Locale.ROOT,
            "%d events in %d blocks, %d of them sealed: opened in %.2f s, %.1f MiB of heap%n",
            events,
            store.figures().blockCount(),
            store.figures().sealedBlockCount(),
            seconds,
            (usedHeap() - before) / 1048576.0);
        questions(store);
      }
    }
  }

  private static Event event(int i) {
    Change change =
        i % RARE_EVERY == RARE_EVERY / 2
            ? new Change(Operation.SET, "rare", Value.of(i))
            : new Change(Operation.SET, "r1", Value.of(i / NODES - i % 5));
    long hlc = HlcTimestamp.pack(START_MICROS + i * STEP_MICROS);
    int node = ((i * 0x9E3779B1) >>> 16) % NODES;
    return new Event("n" + node, "setd", hlc, new StateChange(List.of(change)));
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private void questions(EventStore store) {
    QueryEngine engine =
        new QueryEngine(
            () -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT.withWalkThreads(1));
    long middle = START_MICROS + events / 2 * STEP_MICROS;
    long hundredth = events / 100 * STEP_MICROS;
    String range = "ON TIME hlc'%d.0' TO hlc'%d.0' ".formatted(middle, middle + hundredth);
    for (String when : QUESTIONS) {
      double all = print(engine, "SELECT r1 FROM setd WHEN " + when, 0);
      double unusedPart = print(engine, "SELECT r1 FROM setd " + range + "WHEN " + when, all);
      double unusedRare =
          print(engine, "SELECT rare FROM setd WHEN " + when.replace("r1", "rare"), all);
    }
  }

  /** Prints the median of the times of a query, and returns it. */
  private double print(QueryEngine engine, String text, double all) {
    PreparedQuery query = engine.prepare(text + ";");
    double[] millis = new double[rounds];
    int rows = 0;
    for (int round = 0; round < rounds; round++) {
      long began = CpuTime.ofThread();
      rows = CutRates.count(engine, query);
      millis[round] = (CpuTime.ofThread() - began) / 1e6;
    }
    Samples samples = new Samples(millis);
    double median = samples.median();
    System.out.printf(
        Locale.ROOT,
        "  %9.2f ms (%.2f .. %.2f)%s, %d rows: %s%n",
        median,
        samples.lowest(),
        samples.highest(),
        all == 0 ? "" : ", %.2f %% of the whole".formatted(100 * median / all),
        rows,
        text);
    return median;
  }
}
