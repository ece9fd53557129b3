// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.clock;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.PhysicalClock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks of one clock, on one thread or on the number given by {@code -t}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ClockBenchmark {
  private final PhysicalClock physical = PhysicalClock.system();
  private final HybridLogicalClock clock = new HybridLogicalClock();
  private final SynchronizedClock locked = new SynchronizedClock();
  private final AtomicLong shared = new AtomicLong();

  /** The state of one thread. */
  @State(Scope.Thread)
  public static class Own {
    final HlcReading reading = new HlcReading();
    final AtomicLong last = new AtomicLong();
  }

  /** The JDK's wall clock with microsecond resolution. */
  @Benchmark
  public long instantNow() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  /** The clock's own reading of the wall clock. */
  @Benchmark
  public long physicalRead() {
    return physical.micros();
  }

  /** The minimum cost of a thread-safe clock: a reading and one atomic operation. */
  @Benchmark
  public boolean physicalReadAndCompareAndSet(Own own) {
    long last = own.last.get();
    return own.last.compareAndSet(last, Math.max(last + 1, physical.micros()));
  }

  /** A local event. */
  @Benchmark
  public long tick() {
    return clock.tick();
  }

  /** A local event with its raw reading, as in the recorder. */
  @Benchmark
  public long tickWithReading(Own own) {
    clock.tick(own.reading);
    return own.reading.hlc;
  }

  /** The receipt of a message whose stamp is as new as the local one. */
  @Benchmark
  public long observe(Own own) {
    clock.observe(clock.last(), own.reading);
    return own.reading.hlc;
  }

  /** A local event under a lock. */
  @Benchmark
  public long tickSynchronized() {
    return locked.tick();
  }

  /** With two threads: the cost of moving a cache line between cores. */
  @Benchmark
  public long bareIncrement() {
    return shared.getAndIncrement();
  }

  /** With two threads: the same, plus failed attempts. */
  @Benchmark
  public long bareCompareAndSet() {
    while (true) {
      long last = shared.get();
      if (shared.compareAndSet(last, last + 1)) {
        return last;
      }
    }
  }
}
