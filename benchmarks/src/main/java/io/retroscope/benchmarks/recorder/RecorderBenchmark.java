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

/** The calls that a service makes; {@code -prof gc} shows what they allocate. */
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

  /** Begins each iteration with an empty ring. */
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

  /** Events that found the ring full, beside the time: a drop costs less than a record. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Drops {
    /** Dropped since the start of the iteration. */
    public long dropped;

    private long before;
  }

  /** A number in a variable. */
  @Benchmark
  public void setLong() {
    log.set("r1", version++);
  }

  /** The same, and how many of the events found the ring full. */
  @Benchmark
  public void setLongCountingDrops(Drops drops) {
    log.set("r1", version++);
    if ((version & 0xFFFF) == 0) {
      long now = recorder.statistics().dropped();
      drops.dropped += now - drops.before;
      drops.before = now;
    }
  }

  /** The bare tick of the same clock, to compare with. */
  @Benchmark
  public long tick() {
    return recorder.tick();
  }
}
