// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * The staleness question over HTTP, from the first query of a server that has just started: with
 * its warm-up, and without. The log is sealed and on disk; the server is a process of its own,
 * whose whole CPU time counts, with its compiler and collector. A plain loop over arrays and the
 * two fastest forms of DuckDB, each in this process, answer the same question.
 */
public final class FirstQueries {
  private static final int SEED = 7;
  private static final int BLOCK_ROWS = 4_096;
  private static final int[] NODE_COUNTS = {3, 30};
  private static final String ADDRESS = "serving at ";
  private static final String QUERY = CutRates.QUERIES.get(0) + ";";

  /** The queries before the steady ones, and the number of these. */
  private static final int EARLIER = 60;

  private static final int STEADY = 21;
  private static final int ROUNDS = 9;
  private static final long MIN_NANOS = 500_000_000;

  /** The time that a query took, and the CPU time of the answering process, in milliseconds. */
  private record Cost(double millis, double cpuMillis) {}

  private final StalenessLog.Columns log;
  private final int stale;
  private final Path folder;

  private FirstQueries(StalenessLog.Columns log, Path folder) {
    this.log = log;
    this.stale = log.countStale();
    this.folder = folder;
  }

  /**
   * Takes the number of events in thousands, and perhaps a Java to run the server with; or {@code
   * serve}, a folder and whether to warm up, for the server's process.
   */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "thousands of events, perhaps a Java");
    if (given.text(0).equals("serve")) {
      serve(Path.of(given.text(1)), Boolean.parseBoolean(given.text(2)));
      return;
    }
    int events = 1_000 * given.number(0);
    String java = given.text(1, Path.of(System.getProperty("java.home"), "bin/java").toString());
    for (int nodes : NODE_COUNTS) {
      try (ScratchFolder scratch = ScratchFolder.create("first-queries")) {
        Path folder = scratch.path();
        System.out.printf(Locale.ROOT, "%d events of %d nodes%n", events, nodes);
        new FirstQueries(new StalenessLog(nodes, events, SEED).columns(), folder).measure(java);
      }
    }
  }

  /** A server until its input ends. It prints its address, and what it logs. */
  private static void serve(Path folder, boolean warmUp) throws IOException {
    ServerConfig config = ServerConfig.in(folder).port(0).warmUp(warmUp).build();
    try (LogServer server = LogServer.start(config)) {
      System.out.println(ADDRESS + server.uri());
      while (System.in.read() >= 0) {
        // Until the caller closes it.
      }
    }
  }

  private void measure(String java) throws IOException, InterruptedException, SQLException {
    LogOnDisk.fill(folder, log, BLOCK_ROWS);
    LogOnDisk.seal(folder, log.micros().length);
    double loop = loopMillis();
    print("plain loop", loop);
    double best = bestOfDuckDb();
    print("without warm-up", ask(java, false), loop, best);
    print("after the warm-up", ask(java, true), loop, best);
  }

  private double loopMillis() {
    return medianMillis(log::countStale);
  }

  private double bestOfDuckDb() throws SQLException {
    String database = "jdbc:duckdb:" + folder.resolve("writes.duckdb");
    new AgainstDuckDb(log, ROUNDS).load(database);
    double best = Double.MAX_VALUE;
    try (Connection connection = DriverManager.getConnection(database);
        Statement setting = connection.createStatement()) {
      setting.execute("SET threads = 1");
      for (AgainstDuckDb.Form form : AgainstDuckDb.forms(log.nodeCount())) {
        if (form.name().startsWith("streaming last_value")) {
          double millis = duckDbMillis(connection, form);
          print("DuckDB, " + form.name(), millis);
          best = Math.min(best, millis);
        }
      }
    }
    return best;
  }

  private double duckDbMillis(Connection connection, AgainstDuckDb.Form form) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(form.sql())) {
      return medianMillis(
          () -> {
            try (ResultSet count = statement.executeQuery()) {
              count.next();
              return count.getInt(1);
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          });
    }
  }

  /** The median of some rounds, after one that is not measured, by this process's CPU time. */
  private double medianMillis(IntSupplier question) {
    double[] millis = new double[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
      long began = CpuTime.ofProcess();
      long nanos = 0;
      int runs = 0;
      for (; nanos < MIN_NANOS; runs++) {
        check(question.getAsInt());
        nanos = CpuTime.ofProcess() - began;
      }
      if (round >= 0) {
        millis[round] = nanos / 1e6 / runs;
      }
    }
    return new Samples(millis).median();
  }

  private void check(long rows) {
    if (rows != stale) {
      throw new IllegalStateException(rows + " rows instead of " + stale);
    }
  }

  /** Sends queries to a server that has just started, or has warmed up. */
  private List<Cost> ask(String java, boolean warmUp) throws IOException, InterruptedException {
    Process server =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                FirstQueries.class.getName(),
                "serve",
                folder.resolve("data").toString(),
                Boolean.toString(warmUp))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = server.inputReader()) {
      URI address = URI.create(await(lines, ADDRESS).substring(ADDRESS.length()));
      if (warmUp) {
        String line = await(lines, "warmed up");
        System.out.println("  " + line.substring(line.indexOf("warmed up")));
      }
      awaitIdle(server);
      List<Cost> costs = new ArrayList<>();
      for (int i = 0; i < EARLIER + STEADY; i++) {
        costs.add(cost(server, address.resolve("/v1/query")));
      }
      return costs;
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  private static String await(BufferedReader lines, String content) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.contains(content)) {
        return line;
      }
    }
    throw new IOException("the server has ended before it printed: " + content);
  }

  /**
   * Waits until the server has read the evidence about clocks, and its compiler has ended. Threads
   * that wait for a processor are not idle.
   */
  private static void awaitIdle(Process server) throws IOException, InterruptedException {
    for (long before = -1, now = nanos(server, 2); now - before > 50_000_000; ) {
      Thread.sleep(1_000);
      before = now;
      now = nanos(server, 2);
    }
  }

  private Cost cost(Process server, URI address) throws IOException {
    long cpu = cpuNanos(server);
    long began = System.nanoTime();
    check(rows(address));
    long ended = System.nanoTime();
    return new Cost((ended - began) / 1e6, (cpuNanos(server) - cpu) / 1e6);
  }

  /** The CPU time of a process's threads, more exact than the 10 ms of its own sum. */
  private static long cpuNanos(Process process) throws IOException {
    return nanos(process, 1);
  }

  /** The CPU time of a process's threads and, as the second figure, the time they waited for it. */
  private static long nanos(Process process, int figures) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      return threads.mapToLong(thread -> threadNanos(thread, figures)).sum();
    }
  }

  private static long threadNanos(Path thread, int figures) {
    try {
      String[] all = Files.readString(thread.resolve("schedstat")).split(" ", -1);
      return Arrays.stream(all).limit(figures).mapToLong(Long::parseLong).sum();
    } catch (IOException e) {
      return 0; // It has just ended.
    }
  }

  private static long rows(URI address) throws IOException {
    HttpURLConnection post = (HttpURLConnection) address.toURL().openConnection();
    post.setRequestMethod("POST");
    post.setDoOutput(true);
    post.setRequestProperty("Content-Type", "application/rql");
    post.getOutputStream().write(QUERY.getBytes(StandardCharsets.UTF_8));
    try (InputStream in = post.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("{\"hlc\""))
          .count();
    }
  }

  private void print(String name, double millis) {
    System.out.printf(
        Locale.ROOT,
        "  %-44s %8.1f ms CPU, %6.1f M events/s%n",
        name,
        millis,
        log.micros().length / millis / 1e3);
  }

  private void print(String name, List<Cost> costs, double loop, double duckDb) {
    Cost steady = median(costs.subList(EARLIER, EARLIER + STEADY));
    line(name + ", steady", steady, steady, loop, duckDb);
    line(name + ", query 1", costs.get(0), steady, loop, duckDb);
    line(name + ", query 2", costs.get(1), steady, loop, duckDb);
    line(name + ", query 10", costs.get(9), steady, loop, duckDb);
  }

  private static void line(String name, Cost cost, Cost steady, double loop, double duckDb) {
    System.out.printf(
        Locale.ROOT,
        "  %-30s %8.1f ms (%.2f of steady), %8.1f ms CPU (%.2f of steady),"
            + " %.2f of the loop, %.1f times DuckDB%n",
        name,
        cost.millis,
        cost.millis / steady.millis,
        cost.cpuMillis,
        cost.cpuMillis / steady.cpuMillis,
        loop / cost.cpuMillis,
        duckDb / cost.cpuMillis);
  }

  private static Cost median(List<Cost> costs) {
    Samples millis = new Samples(costs.stream().mapToDouble(Cost::millis).toArray());
    Samples cpuMillis = new Samples(costs.stream().mapToDouble(Cost::cpuMillis).toArray());
    return new Cost(millis.median(), cpuMillis.median());
  }
}
