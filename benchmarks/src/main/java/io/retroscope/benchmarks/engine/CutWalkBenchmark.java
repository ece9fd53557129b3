// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Benchmarks of the staleness query over a log in memory, on one thread, in cuts per second. For
 * comparison there is a loop over arrays, written for this query and log only.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class CutWalkBenchmark {
  private static final int EVENTS = 1_000_000;
  private static final long SEED = 7;
  private static final String SELECT = "SELECT SPREAD(r1) AS staleness FROM setd WHEN ";

  /** The number of nodes that write. */
  @Param({"3", "30"})
  public int nodes;

  private StalenessLog log = new StalenessLog(2, 10, SEED);
  private StalenessLog.Columns columns = log.columns();
  private QueryEngine engine = engine();
  private PreparedQuery extremes = extremes();
  private PreparedQuery pairs = pairs();
  private int staleCount;

  /** Creates the log and the queries. */
  @Setup
  public void open() {
    log = new StalenessLog(nodes, EVENTS, SEED);
    columns = log.columns();
    engine = engine();
    extremes = extremes();
    pairs = pairs();
    staleCount = columns.countStale();
  }

  private QueryEngine engine() {
    return new QueryEngine(
        new InMemoryEventSource(log.events(), ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  private PreparedQuery extremes() {
    int spread = StalenessLog.ALLOWED_SPREAD;
    return engine.prepare(SELECT + "EXISTS a, b IN r1 : (a - b > " + spread + ");");
  }

  private PreparedQuery pairs() {
    return engine.prepare(SELECT + "EXISTS a, b IN r1 : (a - b = " + EVENTS + ");");
  }

  /** A query that the engine evaluates by incrementally maintained extremes. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int walk() {
    return count(extremes, staleCount);
  }

  /**
   * A query about pairs of nodes without such a form, for which all pairs are tried at each cut.
   */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int walkPairs() {
    return count(pairs, 0);
  }

  /** The loop without the engine. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int plainLoop() {
    return columns.countStale();
  }

  private int count(PreparedQuery query, int expected) {
    RowCount rows = new RowCount();
    engine.run(query, rows);
    if (rows.count != expected) {
      throw new AssertionError(rows.count + " rows, but " + expected + " cuts answer the question");
    }
    return rows.count;
  }

  /** Counts rows. */
  private static final class RowCount implements RowSink {
    private int count;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count++;
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
