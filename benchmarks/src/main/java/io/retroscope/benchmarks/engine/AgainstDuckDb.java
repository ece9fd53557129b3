// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import static java.util.stream.Collectors.joining;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * A comparison of the staleness question over sealed history on disk with the same question in SQL
 * over a DuckDB file, in million events per second of the process's CPU time.
 *
 * <p>The choices favour DuckDB: the rows lie in the order of their stamps, nodes are small numbers,
 * the database may keep all of them in memory, and it only has to count the cuts.
 */
public final class AgainstDuckDb {
  private static final int SEED = 7;
  private static final int BLOCK_ROWS = 20;
  private static final int[] NODE_COUNTS = {3, 30};
  private static final long MIN_NANOS = 500_000_000;

  /** The rounds that are not measured, until DuckDB has the tables in memory. */
  private static final int FIRST_ROUNDS = 3;

  /** Rounds before these, of Retroscope alone: the code of the walk is compiled as it runs. */
  private static final int COMPILING_ROUNDS = 12;

  /** A window without an order follows that of the table, and needs no copy of it. */
  private static final String SO_FAR = "OVER (ROWS UNBOUNDED PRECEDING)";

  private final StalenessLog.Columns log;
  private final int rounds;
  private final int stale;

  AgainstDuckDb(StalenessLog.Columns log, int rounds) {
    this.log = log;
    this.rounds = rounds;
    this.stale = log.countStale();
  }

  /** Takes the number of events in thousands, and of rounds. */
  public static void main(String[] args) throws IOException, SQLException {
    Arguments given = new Arguments(args, "thousands of events, rounds");
    int events = 1_000 * given.number(0);
    int rounds = given.number(1);
    for (int nodes : NODE_COUNTS) {
      System.out.printf(Locale.ROOT, "%d events of %d nodes%n", events, nodes);
      StalenessLog written = new StalenessLog(nodes, events, SEED);
      new AgainstDuckDb(written.columns(), rounds).compare();
    }
  }

  private void compare() throws IOException, SQLException {
    try (ScratchFolder scratch = ScratchFolder.create("duckdb")) {
      Path folder = scratch.path();
      LogOnDisk.fill(folder, log, BLOCK_ROWS);
      LogOnDisk.seal(folder, log.micros().length);
      String database = "jdbc:duckdb:" + folder.resolve("writes.duckdb");
      load(database);
      // Opened again, so that the tables are read from the file.
      try (EventStore store = LogOnDisk.open(folder);
          Connection connection = DriverManager.getConnection(database)) {
        execute(connection, "SET threads = 1");
        List<Answerer> answerers = new ArrayList<>();
        answerers.add(ours(store));
        for (Form form : forms(log.nodeCount())) {
          answerers.add(theirs(connection, form));
        }
        measure(answerers);
      }
    }
  }

  /** Writes the log in its order into a table of writes, and one of cuts with a column per node. */
  void load(String database) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database)) {
      execute(connection, "CREATE TABLE writes (stamp BIGINT, node UTINYINT, version BIGINT)");
      try (DuckDBAppender rows =
          connection.unwrap(DuckDBConnection.class).createAppender("main", "writes")) {
        for (int i = 0; i < log.micros().length; i++) {
          rows.beginRow();
          rows.append(log.micros()[i]).append((byte) log.nodes()[i]).append(log.versions()[i]);
          rows.endRow();
        }
      }
      execute(
          connection,
          "CREATE TABLE cuts AS SELECT stamp, "
              + columns(node -> "max(version) FILTER (node = %d) AS v%<d".formatted(node))
              + " FROM writes GROUP BY stamp ORDER BY stamp");
    }
  }

  private String columns(IntFunction<String> ofNode) {
    return columns(log.nodeCount(), ofNode);
  }

  private static String columns(int nodes, IntFunction<String> ofNode) {
    return IntStream.range(0, nodes).mapToObj(ofNode).collect(joining(", "));
  }

  /** A way to write the question in SQL. */
  record Form(String name, String sql) {}

  static List<Form> forms(int nodes) {
    List<Form> forms = new ArrayList<>(formsOverWrites(nodes));
    forms.addAll(formsOverCuts(nodes));
    return forms;
  }

  private static List<Form> formsOverWrites(int nodes) {
    String stale = stale(nodes);
    String ofNode = "CASE WHEN node = %d THEN version END";
    return List.of(
        new Form(
            "textbook window",
            "SELECT count(DISTINCT stamp) FROM (SELECT stamp, "
                + columns(
                    nodes,
                    node ->
                        ("last_value(" + ofNode + " IGNORE NULLS) OVER earlier AS v%<d")
                            .formatted(node))
                + " FROM writes WINDOW earlier AS (ORDER BY stamp))"
                + stale),
        new Form(
            "ASOF joins",
            "SELECT count(*) FROM (SELECT "
                + columns(nodes, node -> "w%d.version AS v%<d".formatted(node))
                + " FROM (SELECT DISTINCT stamp FROM writes) AS cut"
                + IntStream.range(0, nodes)
                    .mapToObj(
                        node ->
                            (" ASOF LEFT JOIN (SELECT stamp, version FROM writes WHERE node = %d)"
                                    + " AS w%<d ON cut.stamp >= w%<d.stamp")
                                .formatted(node))
                    .collect(joining())
                + ")"
                + stale),
        new Form(
            "streaming last_value",
            "SELECT count(*) FROM "
                + nested(nodes, "(SELECT *, lead(stamp) OVER () AS next FROM writes)", ofNode)
                + stale
                + " AND stamp IS DISTINCT FROM next"),
        new Form(
            "streaming max",
            "SELECT count(*) FROM (SELECT stamp, lead(stamp) OVER () AS next, "
                + columns(
                    nodes, node -> ("max(" + ofNode + ") " + SO_FAR + " AS v%<d").formatted(node))
                + " FROM writes)"
                + stale
                + " AND stamp IS DISTINCT FROM next"));
  }

  /** Forms over the table that has one row for each cut. */
  private static List<Form> formsOverCuts(int nodes) {
    String stale = stale(nodes);
    return List.of(
        new Form(
            "streaming last_value over a column per node",
            "SELECT count(*) FROM (SELECT "
                + columns(nodes, node -> "last%d AS v%<d".formatted(node))
                + " FROM "
                + nested(nodes, "cuts", "v%d").replace(" AS v", " AS last")
                + ")"
                + stale),
        new Form(
            "streaming max over a column per node",
            "SELECT count(*) FROM (SELECT "
                + columns(nodes, node -> ("max(v%d) " + SO_FAR + " AS v%<d").formatted(node))
                + " FROM cuts)"
                + stale));
  }

  private static String stale(int nodes) {
    String values = columns(nodes, node -> "v" + node);
    return " WHERE greatest(%s) - least(%<s) > %d".formatted(values, StalenessLog.ALLOWED_SPREAD);
  }

  /**
   * A query for each node around that for the one before, because with several such windows in one
   * query all but the last are forgotten after each row (DuckDB 1.5.5).
   */
  private static String nested(int nodes, String table, String ofNode) {
    String query = table;
    for (int node = 0; node < nodes; node++) {
      String value = ofNode.formatted(node);
      query =
          "(SELECT *, last_value(%s IGNORE NULLS) %s AS v%d FROM %s)"
              .formatted(value, SO_FAR, node, query);
    }
    return query;
  }

  /** One that answers the question. */
  private record Answerer(String name, Question question) {}

  /** The question: how many cuts are stale. */
  private interface Question {
    int ask() throws SQLException;
  }

  private static Answerer ours(EventStore store) {
    QueryEngine engine =
        new QueryEngine(
            () -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT.withWalkThreads(1));
    PreparedQuery query = engine.prepare(CutRates.QUERIES.get(0) + ";");
    return new Answerer("Retroscope, sealed", () -> CutRates.count(engine, query));
  }

  @SuppressWarnings("resource") // closed with its connection
  private static Answerer theirs(Connection connection, Form form) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(form.sql);
    return new Answerer(
        "DuckDB, " + form.name,
        () -> {
          try (ResultSet count = statement.executeQuery()) {
            count.next();
            return count.getInt(1);
          }
        });
  }

  /** Answers in turns, so that all see the same machine. */
  private void measure(List<Answerer> answerers) throws SQLException {
    double first = rate(answerers.get(0));
    for (int round = 1; round < COMPILING_ROUNDS; round++) {
      double unused = rate(answerers.get(0));
    }
    System.out.printf(Locale.ROOT, "  %7.2f M/s in the first round of Retroscope%n", first);
    double[][] rates = new double[answerers.size()][rounds];
    for (int round = -FIRST_ROUNDS; round < rounds; round++) {
      for (int i = 0; i < rates.length; i++) {
        double rate = rate(answerers.get(i));
        if (round >= 0) {
          rates[i][round] = rate;
        }
      }
    }
    double own = new Samples(rates[0]).median();
    for (int i = 0; i < rates.length; i++) {
      Samples samples = new Samples(rates[i]);
      System.out.printf(
          Locale.ROOT,
          "  %7.2f M/s (%.2f .. %.2f), Retroscope has %.1f times that, %d rows: %s%n",
          samples.median(),
          samples.lowest(),
          samples.highest(),
          own / samples.median(),
          stale,
          answerers.get(i).name);
    }
  }

  /** Repeats a question that is too short to be measured alone. */
  private double rate(Answerer answerer) throws SQLException {
    long began = CpuTime.ofProcess();
    long nanos = 0;
    int runs = 0;
    for (; nanos < MIN_NANOS; runs++) {
      int rows = answerer.question.ask();
      if (rows != stale) {
        throw new AssertionError(answerer.name + ": " + rows + " rows instead of " + stale);
      }
      nanos = CpuTime.ofProcess() - began;
    }
    return 1e3 * runs * log.micros().length / nanos;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
