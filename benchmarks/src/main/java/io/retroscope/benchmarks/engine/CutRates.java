// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.event.Event;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A measurement of queries over a log in a store on disk and in memory, in million events per
 * second of the query's CPU time, beside a loop over arrays that answers the staleness question.
 * The store's cache of decoded blocks is off, so that every block is read, checked and decoded.
 */
public final class CutRates {
  private static final int SEED = 7;

  /** The first query is the question that the loop answers; the last one has no answer. */
  static final List<String> QUERIES =
      List.of(
          "SELECT r1 FROM setd WHEN EXISTS a, b IN r1 : (a - b > 12)",
          "SELECT r1 FROM setd WHEN MAX(r1) < 0",
          "SELECT r1 FROM setd WHEN COUNT(r1) > 5000",
          "SELECT r1 FROM setd WHEN r1@zk1 - r1@zk0 > 12",
          "SELECT r1 FROM setd WHEN COUNT n IN NODES : (r1@n < 0) > 0",
          "SELECT r1 FROM setd WHEN SPREAD(r1) > 12 EMIT INTERVALS",
          "SELECT r1 FROM setd WHEN r1@zk0 - r1@zk1 >= 2 EMIT INTERVALS",
          "SELECT r1 FROM setd WHEN MAX(r1) > 1000 AND SPREAD(r1) > 40",
          "SELECT r1 FROM setd WHEN r1@zk0 % 7 = 9 OR EXISTS a IN r1 : (a * 2 = 7)",
          "SELECT r1 FROM setd WHEN r1@zk1 * 3 - r1@zk0 * 2 > 1000000000",
          "SELECT r1 FROM setd WHEN SPREAD(r1) > 60");

  private final StalenessLog.Columns log;
  private final int rounds;
  private final int stale;

  private CutRates(StalenessLog.Columns log, int rounds) {
    this.log = log;
    this.rounds = rounds;
    this.stale = log.countStale();
  }

  /**
   * Takes the number of events in thousands, of rounds, of events of a block (0 leaves out the
   * disk), and of nodes.
   */
  public static void main(String[] args) throws IOException {
    Arguments given =
        new Arguments(
            args, "thousands of events, rounds, events of a block or 0, numbers of nodes");
    int events = 1_000 * given.number(0);
    int rounds = given.number(1);
    int rows = given.number(2);
    for (int nodes : given.numbers(3)) {
      StalenessLog written = new StalenessLog(nodes, events, SEED);
      CutRates rates = new CutRates(written.columns(), rounds);
      System.out.printf(
          Locale.ROOT, "%d events of %s nodes in blocks of %d%n", events, nodes, rows);
      rates.memory(written.events());
      if (rows > 0) {
        rates.disk(rows);
      }
    }
  }

  private void memory(List<Event> events) {
    questions("memory", new InMemoryEventSource(events, ClockOffsets.UNKNOWN));
  }

  private void disk(int rows) throws IOException {
    try (ScratchFolder scratch = ScratchFolder.create("cuts")) {
      Path folder = scratch.path();
      LogOnDisk.fill(folder, log, rows);
      try (EventStore store = LogOnDisk.open(folder)) {
        questions("disk  ", () -> store.open(ClockOffsets.UNKNOWN));
      }
      LogOnDisk.seal(folder, log.micros().length);
      try (EventStore store = LogOnDisk.open(folder)) {
        questions("sealed", () -> store.open(ClockOffsets.UNKNOWN));
      }
    }
  }

  private void questions(String where, EventSource source) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT.withWalkThreads(1));
    for (int i = 0; i < QUERIES.size(); i++) {
      PreparedQuery query = engine.prepare(QUERIES.get(i) + ";");
      int expected = i == 0 ? stale : count(engine, query);
      LoopRatio figures =
          LoopRatio.measure(
              rounds, log.micros().length, () -> count(engine, query, expected), log::countStale);
      System.out.printf(
          Locale.ROOT,
          "  %s %7.2f M/s (%.2f .. %.2f), loop %.1f, ratio %.3f, %5.1f B/event, %d rows, %d blocks by zones: %s%n",
          where,
          figures.rate(),
          figures.lowest(),
          figures.highest(),
          figures.loop(),
          figures.ratio(),
          figures.bytes(),
          expected,
          zoneAnswers(engine, QUERIES.get(i)),
          QUERIES.get(i).substring("SELECT r1 FROM setd WHEN ".length()));
    }
  }

  static int count(QueryEngine engine, PreparedQuery query) {
    RowCount rows = new RowCount();
    engine.run(query, rows);
    if (rows.sum < 0) {
      throw new AssertionError("versions of less than nothing");
    }
    return rows.count;
  }

  /** Runs a query; returns the number of its rows, which is known. */
  static int count(QueryEngine engine, PreparedQuery query, int expected) {
    int rows = count(engine, query);
    if (rows != expected) {
      throw new AssertionError(rows + " rows instead of " + expected);
    }
    return rows;
  }

  /** The number of blocks for which their zones answered, as EXPLAIN ANALYZE prints it. */
  static long zoneAnswers(QueryEngine engine, String query) {
    String line = "blocks answered by their zones: ";
    RowCount rows = new RowCount();
    engine.run(engine.prepare("EXPLAIN ANALYZE " + query + ";"), rows);
    return rows.texts.stream()
        .filter(text -> text.startsWith(line))
        .mapToLong(text -> Long.parseLong(text.substring(line.length())))
        .sum();
  }

  /** Counts rows, and reads their numbers as the writers of the server and the shell do. */
  private static final class RowCount implements RowSink {
    private final List<String> texts = new ArrayList<>();
    private int count;
    private long sum;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count++;
      if (row.values().get(0) instanceof StringValue text) {
        texts.add(text.value());
      }
      return true;
    }

    @Override
    public boolean cells(RowCells cells) {
      count++;
      for (int cell = 0; cell < cells.size(); cell++) {
        if (cells.kind(cell) == RowCells.Kind.NODES) {
          for (int node = cells.firstNode(cell); node < cells.endNode(cell); node++) {
            sum += cells.isNodeLong(node) ? cells.nodeNumber(node) : 0;
          }
        }
      }
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
