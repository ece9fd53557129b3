package io.retroscope.benchmarks.clock;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.PhysicalClock;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One clock, by one thread or by as many as {@code -t} says. */
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

  /** A reading per thread. */
  @State(Scope.Thread)
  public static class Reading {
    final HlcReading reading = new HlcReading();
  }

  /** What everything here is compared with. */
  @Benchmark
  public long physicalRead() {
    return physical.micros();
  }

  /** A local event. */
  @Benchmark
  public long tick() {
    return clock.tick();
  }

  /** A local event with its raw reading, as the recorder makes it. */
  @Benchmark
  public long tickWithReading(Reading out) {
    clock.tick(out.reading);
    return out.reading.hlc;
  }

  /** A message whose stamp is as new as the own. */
  @Benchmark
  public long observe(Reading out) {
    clock.observe(clock.last(), out.reading);
    return out.reading.hlc;
  }

  /** A local event under a lock. */
  @Benchmark
  public long tickSynchronized() {
    return locked.tick();
  }
}
