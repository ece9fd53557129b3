// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.cli.QuickJava;
import io.retroscope.cli.faults.MarkedRows.Shown;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the log server, stops, kills and cuts off nodes and changes their clocks, each in a process
 * of its own, while a live query is followed: the rows that were shown and not retracted are the
 * rows of the past outside the ranges that were reported as lost.
 */
@Timeout(900)
class LiveFaultTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final List<AutoCloseable> running = new ArrayList<>();
  private Random random = new Random(0);
  private URI address = URI.create("http://127.0.0.1");
  private ChildProcess server;
  private Node first;
  private Node second;

  /** A node that reaches the server through a relay. */
  private record Node(ChildProcess process, LoopbackRelay relay, Path folder) {
    void step(long micros) throws IOException {
      Path next = folder.resolve("clock.next");
      Files.writeString(next, Long.toString(micros));
      Files.move(next, folder.resolve("clock"), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private enum Fault {
    KILL_SERVER,
    STOP_NODE,
    CUT_OFF_NODE,
    STEP_CLOCK,
    KILL_NODE
  }

  @AfterEach
  void end() throws Exception {
    for (int i = running.size() - 1; i >= 0; i--) {
      running.get(i).close();
    }
  }

  @Test
  void rows_shownThroughFaults_areThoseOfThePast() throws Exception {
    List<Fault> faults =
        List.of(Fault.KILL_SERVER, Fault.STOP_NODE, Fault.CUT_OFF_NODE, Fault.STEP_CLOCK);
    MarkedRows live = follow(Long.getLong("retroscope.seed", 1), faults, 1_300);
    assertThat(live.markCount()).isPositive();
    assertThat(live.notices()).anyMatch(text -> text.startsWith("the connection to"));
  }

  @Test
  @Tag("slow")
  void rows_shownThroughRandomFaults_areThoseOfThePast() throws Exception {
    long from = Long.getLong("retroscope.seed", 100);
    for (long seed = from; seed < from + Integer.getInteger("faults.rounds", 10); seed++) {
      Random choice = new Random(seed);
      List<Fault> faults =
          choice.ints(8, 0, Fault.values().length).mapToObj(i -> Fault.values()[i]).toList();
      MarkedRows unused = follow(seed, faults, 4_000);
      end();
      running.clear();
    }
  }

  @Test
  @Tag("slow")
  void rows_ofAClientThatIgnoresTheMarks_areOthers() throws Exception {
    MarkedRows live = start(7, false);
    bear(Fault.CUT_OFF_NODE, 3_000);
    bear(Fault.CUT_OFF_NODE, 3_000);
    awaitEnd(live);
    TimeUnit.SECONDS.sleep(5);
    assertThat(live.known()).isNotEqualTo(live.known(past()));
  }

  private MarkedRows follow(long seed, List<Fault> faults, int longestMillis) throws Exception {
    MarkedRows live = start(seed, true);
    for (Fault fault : faults) {
      bear(fault, longestMillis);
    }
    // On a busy machine a fault can end before the watermark continues without its node.
    for (int more = 0; live.markCount() == 0 && more < 5; more++) {
      bear(Fault.CUT_OFF_NODE, 2 * longestMillis);
    }
    awaitEnd(live);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(sorted(live.known())).as("seed %d", seed).isEqualTo(live.known(past())));
    System.out.println("seed " + seed + ": " + live.summary());
    assertThat(live.failure()).isEmpty();
    assertThat(live.known()).hasSizeGreaterThan(100);
    return live;
  }

  private static List<Shown> sorted(List<Shown> rows) {
    return rows.stream().sorted(Comparator.comparingLong(Shown::hlc)).toList();
  }

  private MarkedRows start(long seed, boolean takesMarks) throws Exception {
    random = new Random(seed);
    Path place = Files.createDirectories(folder.resolve("seed" + seed));
    int port = LoopbackPorts.take(1, random)[0];
    address = URI.create("http://127.0.0.1:" + port);
    server = register(server(place, port));
    server.start();
    first = node(place, port, "ann");
    second = node(place, port, "bob");
    awaitServer();
    await().atMost(PATIENCE).ignoreExceptions().until(() -> past().size() > 10);
    String query = "SELECT STREAM %s FROM %s".formatted(SteppedNode.VARIABLE, SteppedNode.LOG);
    MarkedRows live = register(new MarkedRows(address, query, takesMarks));
    await().atMost(PATIENCE).until(() -> live.begin().isPresent());
    return live;
  }

  private <T extends AutoCloseable> T register(T started) {
    running.add(started);
    return started;
  }

  private static ChildProcess server(Path place, int port) {
    return new ChildProcess(
        "the log server",
        place,
        "server.txt",
        command(
            "io.retroscope.cli.Retroscope",
            "server",
            "--data",
            "data",
            "--port",
            Integer.toString(port),
            "--restart-grace",
            "2s"));
  }

  private static List<String> command(String mainClass, String... args) {
    List<String> options = new ArrayList<>(QuickJava.options());
    options.add("-Xmx128m");
    String classPath = QuickJava.sharedFirst(System.getProperty("java.class.path"));
    return ChildProcess.command(options, classPath, mainClass, args);
  }

  private Node node(Path place, int port, String name) throws Exception {
    Path own = Files.createDirectories(place.resolve(name));
    LoopbackRelay relay = register(LoopbackRelay.to(port));
    ChildProcess process =
        new ChildProcess(
            name,
            own,
            "out.txt",
            command(
                SteppedNode.class.getName(),
                name,
                "http://127.0.0.1:" + relay.port(),
                own.toString()));
    register(process).start();
    return new Node(process, relay, own);
  }

  /** Waits until the server answers. */
  private void awaitServer() {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> past() != null);
  }

  private void bear(Fault fault, int longestMillis) throws Exception {
    Node node = random.nextBoolean() ? first : second;
    int millis = longestMillis * 3 / 4 + random.nextInt(longestMillis / 4);
    System.out.println(fault + " for " + millis + " ms");
    switch (fault) {
      case KILL_SERVER -> {
        server.kill();
        TimeUnit.MILLISECONDS.sleep(millis / 4);
        server.start();
        awaitServer();
      }
      case STOP_NODE -> {
        node.process().pause();
        TimeUnit.MILLISECONDS.sleep(millis);
        node.process().resume();
      }
      case CUT_OFF_NODE -> {
        node.relay().pause();
        TimeUnit.MILLISECONDS.sleep(millis);
        node.relay().resume();
      }
      case STEP_CLOCK -> {
        node.step((random.nextInt(2 * longestMillis) - longestMillis) * 1_000L);
        TimeUnit.MILLISECONDS.sleep(millis / 4);
      }
      case KILL_NODE -> {
        node.process().kill();
        node.process().start();
      }
    }
    TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
  }

  /** Ends the nodes, and waits until the client has been sent the last row. */
  private void awaitEnd(MarkedRows live) throws Exception {
    for (Node node : List.of(first, second)) {
      Files.writeString(node.folder().resolve("end"), "");
      assertThat(node.process().awaitEnd(PATIENCE)).as("the node ends").isTrue();
    }
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              List<Shown> past = past();
              return live.reached() >= past.get(past.size() - 1).hlc();
            });
  }

  private List<Shown> past() throws IOException {
    List<Shown> rows = new ArrayList<>();
    try (RqlClient client = new RqlClient(address)) {
      client.run(
          "SELECT %s FROM %s".formatted(SteppedNode.VARIABLE, SteppedNode.LOG),
          new RowSink() {
            private int column;

            @Override
            public void columns(List<Column> columns) {
              column = MarkedRows.columnOf(columns);
            }

            @Override
            public boolean row(Row row) {
              rows.add(new Shown(row.hlc(), row.values().get(column)));
              return true;
            }

            @Override
            public void warning(String message) {}
          });
    }
    return rows;
  }
}
