// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.recorder;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderStatistics;
import io.retroscope.sink.FileSink;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A measurement of the rate at which one thread can continuously record into a file without drops.
 * Not a JMH benchmark, because it measures a sustained rate over seconds and not one call.
 *
 * <p>The thread records at a fixed rate, in slices of a millisecond; the rate is raised until
 * events are dropped.
 */
public final class SustainedRate {
  private static final int SLICES_PER_SECOND = 1_000;
  private static final long NANOS_PER_SLICE = 1_000_000_000L / SLICES_PER_SECOND;

  private SustainedRate() {}

  /**
   * Runs the measurement. The arguments are the seconds for each rate, and the rates to try, in
   * events per second.
   */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "seconds, rates per second");
    int seconds = given.number(0, 10);
    List<Integer> rates = given.numbers(1);
    run(1_000_000, 5);
    for (int rate : rates) {
      run(rate, seconds);
    }
  }

  private static void run(long perSecond, int seconds) throws IOException {
    try (ScratchFolder scratch = ScratchFolder.create("rate");
        Recorder recorder =
            Recorder.builder()
                .node("zk1")
                .sink(new FileSink(scratch.path().resolve("trace.rtsb"), 64L << 20, 4, false))
                .ringCapacity(1 << 18)
                .build()) {
      long start = System.nanoTime();
      record(recorder.log("setd"), perSecond, seconds);
      double took = (System.nanoTime() - start) / 1e9;
      boolean flushed = recorder.flush(Duration.ofSeconds(30));
      RecorderStatistics statistics = recorder.statistics();
      System.out.printf(
          Locale.ROOT,
          "requested %,d/s for %d s: recorded %,d in %.2f s (%,.0f/s), dropped %,d, flushed %b%n",
          perSecond,
          seconds,
          statistics.recorded(),
          took,
          statistics.recorded() / took,
          statistics.dropped(),
          flushed);
    }
  }

  private static void record(EventLog log, long perSecond, int seconds) {
    long perSlice = perSecond / SLICES_PER_SECOND;
    long start = System.nanoTime();
    long version = 0;
    for (long slice = 0; slice < (long) seconds * SLICES_PER_SECOND; slice++) {
      for (long i = 0; i < perSlice; i++) {
        log.set("r1", version++);
      }
      long wait = start + (slice + 1) * NANOS_PER_SLICE - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
      }
    }
  }
}
