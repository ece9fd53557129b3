// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A measurement of predicates that are not over one variable of LONGs: over several variables,
 * texts, DOUBLEs and BOOLEANs, over few blocks and over parts of the range, in memory and sealed on
 * disk. Rates are in million events per second of the query's CPU time, beside the loop of {@link
 * CutRates} over as many events of three nodes.
 */
public final class PredicateRates {
  private static final int SEED = 7;

  private final StalenessLog.Columns loop;
  private final int rounds;

  private PredicateRates(int events, int rounds) {
    this.loop = new StalenessLog(3, events, SEED).columns();
    this.rounds = rounds;
  }

  /** A log and the questions about it. */
  record Shape(ShapeLog.Writer writer, List<String> queries) {}

  static Map<String, Shape> shapes() {
    Map<String, Shape> shapes = new LinkedHashMap<>();
    List<String> ofThree =
        List.of(
            "r1 FROM t WHEN r1@zk0 + r2@zk1 - r3@zk2 > 1000000000",
            "r1 FROM t WHEN r1@zk0 * 3 - r2@zk1 - r3@zk2 * 2 > 5000 AND r2@zk0 < r1@zk1",
            "r1 FROM t WHEN SPREAD(r1) > 900 AND MAX(r2) < 5",
            "r1 FROM t WHEN r1@zk0 > 1000000000 AND r2@zk1 > 5",
            "r1 FROM t WHEN r1@zk0 - r2@zk0 > 1000 AND r2@zk0 - r1@zk1 > 1000",
            "r1 FROM t WHEN EXISTS n IN NODES : (FORALL m IN NODES : (r1@n > r2@m + 5000))",
            "r1 FROM t WHEN EXISTS m, n IN NODES : (r1@n - r2@m > 10000 OR r3@n = 0 - r1@m)");
    shapes.put("three LONGs", new Shape(ShapeLog.threeLongs(), ofThree));
    shapes.put("three LONGs at once", new Shape(ShapeLog.threeLongsAtOnce(), ofThree));
    shapes.put(
        "roles",
        new Shape(
            ShapeLog.roles(),
            List.of(
                "role FROM t WHEN (COUNT n IN NODES : (role@n = 'leader')) > 1",
                "role FROM t WHEN role@zk0 = 'leader' AND role@zk1 = 'leader'",
                "role FROM t WHEN role@zk0 != 'leader' AND role@zk1 IN {'leader', 'none'}",
                "role FROM t WHEN EXISTS n IN NODES : (role@n = 'leader' AND r1@n < MIN(r1))",
                "r1, role FROM t WHEN MAX(r1) < 0")));
    addTypes(shapes);
    shapes.put(
        "between log lines",
        new Shape(
            ShapeLog.mixed(),
            List.of("r1 FROM t WHEN MAX(r1) < 0", "r1 FROM t WHEN SPREAD(r1) < 1")));
    shapes.put(
        "few blocks", new Shape(ShapeLog.rare(), List.of("alarm FROM t WHEN MIN(alarm) > 1")));
    for (int variables : new int[] {100, 100_000}) {
      shapes.put(
          "each of " + variables,
          new Shape(
              ShapeLog.each(variables),
              List.of("v FROM t FOR EACH VARIABLE v WHEN EXISTS x IN v : (x > 99)")));
    }
    return shapes;
  }

  private static void addTypes(Map<String, Shape> shapes) {
    shapes.put(
        "DOUBLEs",
        new Shape(
            ShapeLog.loads(),
            List.of(
                "load FROM t WHEN MAX(load) > 0.95",
                "load FROM t WHEN load@zk0 > 0.85 AND load@zk1 > 0.85 AND load@zk2 > 0.85",
                "load FROM t WHEN EXISTS n IN NODES : (load@n >= 1.5)",
                "load FROM t WHEN load@zk0 - load@zk1 > 0.92")));
    shapes.put(
        "BOOLEANs",
        new Shape(
            ShapeLog.flags(),
            List.of(
                "ready FROM t WHEN NOT ready@zk0 AND NOT ready@zk1 AND NOT ready@zk2",
                "ready FROM t WHEN (COUNT n IN NODES : (ready@n = FALSE)) > 2",
                "ready FROM t WHEN FORALL n IN NODES : (NOT ready@n)")));
  }

  /**
   * Takes the number of events in thousands, of rounds, of events of a block (0 leaves out the
   * disk), the begins of the names of shapes, and a part of the queries that are measured.
   */
  public static void main(String[] args) throws IOException {
    Arguments given =
        new Arguments(
            args,
            "thousands of events, rounds, events of a block or 0, perhaps a shape and a part of questions");
    int count = 1_000 * given.number(0);
    PredicateRates rates = new PredicateRates(count, given.number(1));
    for (Map.Entry<String, Shape> shape : shapes().entrySet()) {
      if (!given.has(3) || shape.getKey().startsWith(given.text(3))) {
        List<Event> events = ShapeLog.of("t", count, SEED, shape.getValue().writer);
        System.out.printf(Locale.ROOT, "%s, %d events%n", shape.getKey(), count);
        String part = given.text(4, "");
        List<String> queries =
            shape.getValue().queries.stream().filter(query -> query.contains(part)).toList();
        rates.measure(events, queries, given.number(2));
      }
    }
  }

  private void measure(List<Event> events, List<String> queries, int rows) throws IOException {
    InMemoryEventSource memory = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    measure("memory", memory, events, queries);
    if (rows > 0) {
      try (ScratchFolder scratch = ScratchFolder.create("predicates")) {
        Path folder = scratch.path();
        LogOnDisk.fill(folder, events.stream(), rows);
        LogOnDisk.seal(folder, events.size());
        try (EventStore store = LogOnDisk.open(folder)) {
          measure("sealed", () -> store.open(ClockOffsets.UNKNOWN), events, queries);
        }
      }
    }
  }

  private void measure(String where, EventSource source, List<Event> events, List<String> queries) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT.withWalkThreads(1));
    for (String query : queries) {
      measure(where, engine, events.size(), "SELECT " + query);
    }
    long from = HlcTimestamp.micros(events.get(events.size() / 2).hlc());
    long to = HlcTimestamp.micros(events.get(events.size() / 2 + events.size() / 100).hlc());
    String part = " ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(from, to);
    measure(where + " 1 % of the range", engine, events.size(), "SELECT " + queries.get(0) + part);
  }

  private void measure(String where, QueryEngine engine, int events, String text) {
    PreparedQuery query = engine.prepare(text + ";");
    int expected = CutRates.count(engine, query);
    LoopRatio figures =
        LoopRatio.measure(
            rounds, events, () -> CutRates.count(engine, query, expected), loop::countStale);
    System.out.printf(
        Locale.ROOT,
        "  %s %8.2f M/s (%.2f .. %.2f), loop %.1f, ratio %.3f, %5.1f B/event, %d rows, %d blocks by zones: %s%n",
        where,
        figures.rate(),
        figures.lowest(),
        figures.highest(),
        figures.loop(),
        figures.ratio(),
        figures.bytes(),
        expected,
        CutRates.zoneAnswers(engine, text),
        text);
  }
}
