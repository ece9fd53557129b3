// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * A comparison of the elapsed times of walks over a sealed log by one thread and by as many as
 * there are processors, beside that of plain loops, which shows what the processors allow.
 */
public final class SliceRates {
  private static final int SEED = 7;
  private static final int BLOCK_ROWS = 20;
  private static final int LOOPS = 20;
  private static final long MIN_NANOS = 50_000_000;

  /** Java compiles the code of each walk meanwhile; the compiler would need a core of its own. */
  private static final long WARM_UP_NANOS = 2_000_000_000;

  private final int events;
  private final int rounds;

  private SliceRates(int events, int rounds) {
    this.events = events;
    this.rounds = rounds;
  }

  /** Takes the number of events in thousands, of rounds, and of nodes. */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "thousands of events, rounds, nodes");
    int events = 1_000 * given.number(0);
    SliceRates rates = new SliceRates(events, given.number(1));
    StalenessLog log = new StalenessLog(given.number(2), events, SEED);
    rates.loops(log.columns());
    try (ScratchFolder scratch = ScratchFolder.create("slices")) {
      Path folder = scratch.path();
      LogOnDisk.fill(folder, log.columns(), BLOCK_ROWS);
      LogOnDisk.seal(folder, events);
      try (EventStore store = LogOnDisk.open(folder)) {
        rates.slices(() -> store.open(ClockOffsets.UNKNOWN));
      }
    }
  }

  /** Runs a plain loop on one thread and on all, which share nothing but what they read. */
  private void loops(StalenessLog.Columns log) {
    int threads = Runtime.getRuntime().availableProcessors();
    double[] alone = new double[rounds];
    double[] together = new double[rounds];
    int expected = log.countStale();
    for (int round = 0; round < rounds; round++) {
      alone[round] = elapsed(log, 1, expected);
      together[round] = elapsed(log, threads, expected);
    }
    System.out.printf(
        Locale.ROOT,
        "  plain loops: %d threads %.2f times%n",
        threads,
        threads * new Samples(alone).median() / new Samples(together).median());
  }

  /** The nanoseconds that threads take which each run the loop some times. */
  private static double elapsed(StalenessLog.Columns log, int threads, int expected) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long began = System.nanoTime();
      Callable<Long> loops = () -> rightLoops(log, expected);
      for (Future<Long> right : pool.invokeAll(Collections.nCopies(threads, loops))) {
        if (right.get() != LOOPS) {
          throw new AssertionError("not " + expected + " stale cuts");
        }
      }
      return System.nanoTime() - began;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      pool.shutdown();
    }
  }

  private static long rightLoops(StalenessLog.Columns log, int expected) {
    return IntStream.range(0, LOOPS).filter(loop -> log.countStale() == expected).count();
  }

  /** Walks by one thread and by all in turns. */
  private void slices(EventSource source) {
    int threads = Runtime.getRuntime().availableProcessors();
    QueryEngine one = new QueryEngine(source, QueryLimits.DEFAULT.withWalkThreads(1));
    QueryEngine all = new QueryEngine(source, QueryLimits.DEFAULT.withWalkThreads(threads));
    for (String text : CutRates.QUERIES) {
      warmUp(one, one.prepare(text + ";"));
      warmUp(all, all.prepare(text + ";"));
    }
    for (String text : CutRates.QUERIES) {
      PreparedQuery query = one.prepare(text + ";");
      int expected = CutRates.count(one, query);
      Times alone = new Times(rounds);
      Times together = new Times(rounds);
      for (int round = 0; round < rounds; round++) {
        alone.measure(round, one, query, expected);
        together.measure(round, all, query, expected);
      }
      System.out.printf(
          Locale.ROOT,
          "  sealed: one thread %.2f M/s, %d threads %.2f M/s, %.2f times; CPU time of all %.2f times: %s%n",
          1e3 * events / new Samples(alone.elapsed).median(),
          threads,
          1e3 * events / new Samples(together.elapsed).median(),
          new Samples(alone.elapsed).median() / new Samples(together.elapsed).median(),
          new Samples(together.cpu).median() / new Samples(alone.cpu).median(),
          text.substring("SELECT r1 FROM setd WHEN ".length()));
    }
  }

  private static void warmUp(QueryEngine engine, PreparedQuery query) {
    long began = System.nanoTime();
    while (System.nanoTime() - began < WARM_UP_NANOS) {
      int unused = CutRates.count(engine, query);
    }
  }

  /** The elapsed time and the CPU time of the process for one run in each round, in nanoseconds. */
  private static final class Times {
    private final double[] elapsed;
    private final double[] cpu;

    Times(int rounds) {
      elapsed = new double[rounds];
      cpu = new double[rounds];
    }

    void measure(int round, QueryEngine engine, PreparedQuery query, int expected) {
      long began = System.nanoTime();
      long used = CpuTime.ofProcess();
      int runs = 0;
      for (; System.nanoTime() - began < MIN_NANOS; runs++) {
        if (CutRates.count(engine, query) != expected) {
          throw new AssertionError("not " + expected + " rows");
        }
      }
      elapsed[round] = (System.nanoTime() - began) / (double) runs;
      cpu[round] = (CpuTime.ofProcess() - used) / (double) runs;
    }
  }
}
