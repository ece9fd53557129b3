// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.recorder;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks of a service's calls; {@code -prof gc} shows their allocation. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class RecorderBenchmark {
  private Recorder recorder = newRecorder();
  private EventLog log = recorder.log("setd");
  private long version;

  private static Recorder newRecorder() {
    return Recorder.builder().node("zk1").sink(new DiscardingSink()).build();
  }

  /** Starts each iteration with an empty ring. */
  @Setup(Level.Trial)
  public void open() {
    recorder = newRecorder();
    log = recorder.log("setd");
  }

  /** Ends the drainer. */
  @TearDown(Level.Trial)
  public void close() {
    recorder.close();
  }

  /**
   * The number of events that found the ring full, reported with the time because a drop costs less
   * than a record.
   */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Drops {
    /** The number of drops since the start of the iteration. */
    public long dropped;

    private long before;
  }

  /** Sets a variable to a number. */
  @Benchmark
  public void setLong() {
    log.set("r1", version++);
  }

  /** The same, with the number of events that found the ring full. */
  @Benchmark
  public void setLongCountingDrops(Drops drops) {
    log.set("r1", version++);
    if ((version & 0xFFFF) == 0) {
      long now = recorder.statistics().dropped();
      drops.dropped += now - drops.before;
      drops.before = now;
    }
  }

  /** A tick of the same clock, for comparison. */
  @Benchmark
  public long tick() {
    return recorder.tick();
  }
}
