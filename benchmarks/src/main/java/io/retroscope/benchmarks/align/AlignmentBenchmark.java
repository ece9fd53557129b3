// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.align;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks of clock alignment, called as by the log server, on one thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 4)
@Measurement(iterations = 8)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class AlignmentBenchmark {
  private static final int MESSAGES = 500_000;

  /** A trace of one million events, all of them sends and receives. */
  private abstract static class Trace {
    private final int nodes;
    private final int peers;
    private final int messagesPerSecond;
    private List<EventBlock> blocks = List.of();

    Trace(int nodes, int peers, int messagesPerSecond) {
      this.nodes = nodes;
      this.peers = peers;
      this.messagesPerSecond = messagesPerSecond;
    }

    final void make() {
      blocks = new MessageTrace(nodes, peers).blocks(MESSAGES, messagesPerSecond);
    }

    final ClockAlignment replay() {
      ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
      blocks.forEach(alignment::record);
      return alignment;
    }

    final long lastHlc() {
      return blocks.get(blocks.size() - 1).lastHlc();
    }
  }

  /** 16 nodes, each of which exchanges messages with all others. */
  @State(Scope.Benchmark)
  public static class Busy extends Trace {
    /** One million events per second. */
    public Busy() {
      super(16, 15, 500_000);
    }

    /** Makes the trace. */
    @Setup(Level.Trial)
    public void setUp() {
      make();
    }
  }

  /** 1,000 nodes, each of which exchanges messages with a few others. */
  @State(Scope.Benchmark)
  public static class Sparse extends Trace {
    private ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    private long distance;

    /** Each node sends five messages per second. */
    public Sparse() {
      super(1_000, 4, 5_000);
    }

    /** Creates the trace, and an alignment that has processed it. */
    @Setup(Level.Trial)
    public void setUp() {
      make();
      alignment = replay();
    }

    /** A stamp whose offsets have not been requested yet. */
    long nextHlc() {
      distance += 1_000_000L << 12;
      return lastHlc() - distance % (90_000_000L << 12);
    }
  }

  /** One million events of 16 nodes. */
  @Benchmark
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public ClockAlignment events16Nodes(Busy trace) {
    return trace.replay();
  }

  /** One million events of 1,000 nodes. */
  @Benchmark
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public ClockAlignment events1000Nodes(Sparse trace) {
    return trace.replay();
  }

  /** The offsets of 1,000 nodes at one instant of the past, as needed for a row. */
  @Benchmark
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public Optional<ClockOffsets.Offset> row1000Nodes(Sparse trace) {
    return trace.alignment.offsets().offset("n7", trace.nextHlc());
  }

  /** The rows of SHOW ALIGNMENT for 1,000 nodes. */
  @Benchmark
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public ClockOffsets table1000Nodes(Sparse trace) {
    ClockOffsets offsets = trace.alignment.offsets();
    offsets.alignment();
    return offsets;
  }
}
