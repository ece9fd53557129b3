// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import com.sun.management.OperatingSystemMXBean;
import io.retroscope.benchmarks.engine.StalenessLog;
import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A comparison of a cluster with a single server that reads the same topic, alternately: the events
 * stored per second by a cluster of one server, and the time of a query that reads all events, with
 * one server and with three processes. The broker and the single server are in this process.
 */
public final class ClusterRatios {
  private static final int NODES = 6;
  private static final int PARTITIONS = 6;
  private static final int SEED = 7;

  /** The queries after which nearly all of their code is compiled, on a busy machine as well. */
  private static final int WARM_UP_ROUNDS = 20;

  /** The same for processes that do nothing else, of which each does only a part. */
  private static final int PROCESS_WARM_UP_ROUNDS = 200;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** The time in which servers seal their blocks. */
  private static final Duration SEALING = Duration.ofSeconds(20);

  /** A question whose rows no zone of a block can exclude: all events are read. */
  private static final Question SCAN =
      new Question(
          "a full scan",
          "SELECT r1 FROM setd%s WHEN (r1@zk0 + r1@zk1) %% 1009 = 1008 EMIT INTERVALS;");

  /** A question about all nodes, which half of the blocks of one server answer by their zones. */
  private static final Question RARE =
      new Question(
          "rare rows",
          "SELECT r1, SPREAD(r1) AS s FROM setd%s WHEN SPREAD(r1) > 12 EMIT INTERVALS;");

  /** The range of a question with next to no events. */
  private static final long SHORT_MICROS = 1_000_000;

  private final Path folder;
  private final KafkaBroker broker;
  private final int blockEvents;
  private final List<List<EventBlock>> blocks = new ArrayList<>();
  private int run;

  /**
   * A question with a name.
   *
   * @param rql with a place for a range
   */
  private record Question(String name, String rql) {}

  /** The seconds that something took, by the clock and of all processors together. */
  private record Cost(double wall, double cpu) {}

  /** The start of something that takes time in this process, and in others. */
  private record Begun(long nanos, double cpuSeconds, List<ClusterProcess> others) {
    static Begun now(List<ClusterProcess> others) {
      return new Begun(System.nanoTime(), ownCpuSeconds() + cpuOf(others), others);
    }

    Cost end() {
      return new Cost(
          (System.nanoTime() - nanos) / 1e9, ownCpuSeconds() + cpuOf(others) - cpuSeconds);
    }
  }

  /** The median of the costs of several rounds. */
  private static Cost median(List<Cost> costs) {
    return new Cost(
        costs.stream().map(Cost::wall).sorted().toList().get(costs.size() / 2),
        costs.stream().map(Cost::cpu).sorted().toList().get(costs.size() / 2));
  }

  /** The ratios of several rounds. */
  private static final class Ratios {
    private final List<Double> wall = new ArrayList<>();
    private final List<Double> cpu = new ArrayList<>();

    void add(Cost single, Cost cluster) {
      wall.add(single.wall() / cluster.wall());
      cpu.add(single.cpu() / cluster.cpu());
    }

    @Override
    public String toString() {
      return text("by the clock", wall) + ", " + text("in CPU time", cpu);
    }

    private static String text(String what, List<Double> ratios) {
      List<Double> sorted = ratios.stream().sorted().toList();
      return String.format(
          Locale.ROOT,
          "median %.2f %s (%.2f to %.2f)",
          sorted.get(sorted.size() / 2),
          what,
          sorted.get(0),
          sorted.get(sorted.size() - 1));
    }
  }

  private static double ownCpuSeconds() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1e9;
  }

  private ClusterRatios(Path folder, KafkaBroker broker, int blockEvents) {
    this.folder = folder;
    this.broker = broker;
    this.blockEvents = blockEvents;
  }

  /**
   * Runs the comparison. The arguments are the events in millions, the number of rounds, the events
   * of a block, and the number of rounds of queries, if that is another one.
   */
  public static void main(String[] args) throws Exception {
    Arguments given =
        new Arguments(args, "millions of events, rounds, events of a block, rounds of queries");
    int millions = given.number(0, 3);
    int rounds = given.number(1, 5);
    int blockEvents = given.number(2, 4_096);
    int queryRounds = given.number(3, rounds);
    try (ScratchFolder scratch = ScratchFolder.create("ratios");
        KafkaBroker broker =
            KafkaBroker.in(scratch.path().resolve("broker"))
                .setting("log.cleaner.enable", "false")
                .start()) {
      ClusterRatios ratios = new ClusterRatios(scratch.path(), broker, blockEvents);
      ratios.makeBlocks(millions * 1_000_000);
      ratios.ingest(rounds);
      ratios.queries(queryRounds);
    }
  }

  private void makeBlocks(int events) {
    StalenessLog.Columns columns = new StalenessLog(NODES, events, SEED).columns();
    List<EventBlockBuilder> builders = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      blocks.add(new ArrayList<>());
      builders.add(new EventBlockBuilder());
    }
    long[] last = new long[NODES];
    for (int i = 0; i < events; i++) {
      int node = columns.nodes()[i];
      EventBlockBuilder builder = builders.get(node);
      Event event = columns.event(i);
      builder.add(event);
      last[node] = event.hlc();
      if (builder.size() == blockEvents) {
        end(node, builder, last[node]);
        builders.set(node, new EventBlockBuilder());
      }
    }
    for (int node = 0; node < NODES; node++) {
      if (builders.get(node).size() > 0) {
        end(node, builders.get(node), last[node]);
      }
    }
  }

  private void end(int node, EventBlockBuilder builder, long lastHlc) {
    List<EventBlock> own = blocks.get(node);
    own.add(builder.incarnation("i", own.size() + 1L).promise(lastHlc, 0).build());
  }

  private long blockCount() {
    return blocks.stream().mapToLong(List::size).sum();
  }

  private long eventCount() {
    return blocks.stream().flatMap(List::stream).mapToLong(EventBlock::size).sum();
  }

  private String newTopic() throws InterruptedException {
    String topic = "run" + ++run;
    broker.createTopic(topic, PARTITIONS, ClusterProcess.TOPIC_SETTINGS);
    return topic;
  }

  private LogServer single(String topic, String name) {
    return LogServer.start(
        ServerConfig.in(folder.resolve(name))
            .port(0)
            .kafka(KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), topic))
            .build());
  }

  private ClusterServer cluster(String topic, String name) throws Exception {
    int port = ClusterProcess.freePort();
    ClusterServer server =
        ClusterServer.start(
            ServerConfig.in(folder.resolve(name)).port(port).build(),
            ClusterProcess.options(broker.address(), topic, port, 0));
    await("ready", () -> server.cluster().trouble().isEmpty() ? 1 : 0, 1);
    return server;
  }

  private static long storedCount(LogServer server) {
    try (EventSource.View view = server.events().open()) {
      return view.logs().stream().mapToLong(Catalog.LogDescription::eventCount).sum();
    }
  }

  private static long recordCount(Map<Integer, Long> offsets) {
    return offsets.values().stream().mapToLong(Long::longValue).sum();
  }

  private static void await(String what, LongSupplier count, long wanted)
      throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (count.getAsLong() < wanted) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException(what + ": only " + count.getAsLong() + " of " + wanted);
      }
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  private void ingest(int rounds) throws Exception {
    Cost unusedSingle = ingestSingle();
    Cost unusedCluster = ingestCluster();
    Ratios ratios = new Ratios();
    for (int round = 0; round < rounds; round++) {
      ratios.add(
          print("ingest, --kafka", ingestSingle()), print("ingest, cluster", ingestCluster()));
    }
    print("ingest, a cluster of one to --kafka", ratios);
  }

  private Cost print(String what, Cost cost) {
    System.out.printf(
        Locale.ROOT,
        "%s: %,.0f events/s, %.2f us CPU an event%n",
        what,
        eventCount() / cost.wall(),
        cost.cpu() * 1e6 / eventCount());
    return cost;
  }

  private void print(String what, Ratios ratios) {
    System.out.printf(
        Locale.ROOT,
        "%s: %s; %,d events of %d nodes in blocks of %,d%n",
        what,
        ratios,
        eventCount(),
        NODES,
        blockEvents);
  }

  private Cost ingestSingle() throws Exception {
    String topic = newTopic();
    try (LogServer server = single(topic, topic)) {
      Begun begun = Begun.now(List.of());
      send(topic);
      await("stored events", () -> storedCount(server), eventCount());
      return begun.end();
    }
  }

  private Cost ingestCluster() throws Exception {
    String topic = newTopic();
    try (ClusterServer server = cluster(topic, topic)) {
      Begun begun = Begun.now(List.of());
      send(topic);
      await("stored records", () -> recordCount(server.cluster().offsets()), blockCount());
      return begun.end();
    }
  }

  private void send(String topic) {
    List<KafkaSink> sinks = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      sinks.add(KafkaSink.builder(broker.address()).topic(topic).maxMemoryBytes(1L << 30).build());
    }
    for (int i = 0; i < blocks.get(0).size(); i++) {
      for (int node = 0; node < NODES; node++) {
        if (i < blocks.get(node).size()) {
          sinks.get(node).accept(blocks.get(node).get(i));
        }
      }
    }
    for (KafkaSink sink : sinks) {
      if (!sink.flush(PATIENCE) || sink.lostEventCount() > 0) {
        throw new IllegalStateException("not delivered, or not all: " + sink.lostEventCount());
      }
    }
    sinks.forEach(KafkaSink::close);
  }

  private void queries(int rounds) throws Exception {
    String topic = newTopic();
    send(topic);
    List<ClusterProcess> processes = new ArrayList<>();
    try (LogServer single = single(topic, "single")) {
      await("stored events", () -> storedCount(single), eventCount());
      TimeUnit.NANOSECONDS.sleep(SEALING.toNanos());
      try (ClusterServer cluster = cluster(topic, "one")) {
        await("stored records", () -> recordCount(cluster.cluster().offsets()), blockCount());
        TimeUnit.NANOSECONDS.sleep(SEALING.toNanos());
        warmUp(WARM_UP_ROUNDS, single.uri(), cluster.uri(), List.of());
        compare("a cluster of one", rounds, single.uri(), cluster.uri(), List.of());
      }
      cost(topic);
      // Only one cluster has a topic at a time: this one reads it again, from the beginning.
      for (int i = 0; i < 3; i++) {
        processes.add(ClusterProcess.start(folder.resolve("process" + i), broker.address(), topic));
      }
      ClusterProcess.awaitPlaced(processes, PARTITIONS);
      await("stored records and copies", () -> storedRecords(processes), 2 * blockCount());
      TimeUnit.NANOSECONDS.sleep(SEALING.toNanos());
      warmUp(PROCESS_WARM_UP_ROUNDS, single.uri(), processes.get(0).uri(), processes);
      compare("three processes", rounds, single.uri(), processes.get(0).uri(), processes);
    } finally {
      processes.forEach(ClusterProcess::close);
    }
  }

  /** The cost of an event for the servers that store it and for the topic. */
  private void cost(String read) throws Exception {
    long bytes = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      try (Stream<Path> files = Files.list(folder.resolve("broker/" + read + "-" + partition))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
          bytes += Files.size(file);
        }
      }
    }
    String topic = newTopic();
    List<ClusterProcess> processes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        processes.add(ClusterProcess.start(folder.resolve("cost" + i), broker.address(), topic));
      }
      ClusterProcess.awaitPlaced(processes, PARTITIONS);
      double before = cpuOf(processes);
      send(topic);
      await("stored records and copies", () -> storedRecords(processes), 2 * blockCount());
      double cpu = cpuOf(processes) - before;
      System.out.printf(
          Locale.ROOT,
          "cost: %.2f us CPU for each event and copy with what the JVM compiles meanwhile, %.1f bytes an event in the topic, in blocks of %,d%n",
          cpu * 1e6 / (2 * eventCount()),
          (double) bytes / eventCount(),
          blockEvents);
    } finally {
      processes.forEach(ClusterProcess::close);
    }
  }

  private static double cpuOf(List<ClusterProcess> processes) {
    return processes.stream().mapToDouble(process -> process.cpu().toNanos() / 1e9).sum();
  }

  private static long storedRecords(List<ClusterProcess> processes) {
    long count = 0;
    try {
      for (ClusterProcess process : processes) {
        count += recordCount(process.offsets());
      }
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return count;
  }

  private void warmUp(int rounds, URI single, URI cluster, List<ClusterProcess> processes)
      throws IOException {
    for (int round = 0; round < rounds; round++) {
      for (Question question : List.of(SCAN, RARE)) {
        Cost unusedSingle = query(question.rql().formatted(""), single, List.of());
        Cost unusedCluster = query(question.rql().formatted(""), cluster, processes);
      }
    }
  }

  private void compare(
      String what, int rounds, URI single, URI cluster, List<ClusterProcess> processes)
      throws IOException {
    for (Question question : List.of(SCAN, RARE)) {
      String rql = question.rql().formatted("");
      Ratios ratios = new Ratios();
      for (int round = 0; round < rounds; round++) {
        ratios.add(
            print(question.name() + ", one server", query(rql, single, List.of())),
            print(question.name() + ", " + what, query(rql, cluster, processes)));
      }
      print(question.name() + ", " + what + " to one server", ratios);
    }
    String brief = SCAN.rql().formatted(shortRange());
    List<Cost> ofSingle = new ArrayList<>();
    List<Cost> ofCluster = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ofSingle.add(query(brief, single, List.of()));
      ofCluster.add(query(brief, cluster, processes));
    }
    printShort("one server", median(ofSingle));
    printShort(what, median(ofCluster));
  }

  /** A range at the beginning. */
  private String shortRange() {
    long first = HlcTimestamp.micros(blocks.get(0).get(0).firstHlc());
    return " ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(first, first + SHORT_MICROS);
  }

  private static void printShort(String what, Cost cost) {
    System.out.printf(
        Locale.ROOT,
        "query of next to no events, %s: median %.1f ms by the clock, %.1f ms CPU%n",
        what,
        cost.wall() * 1e3,
        cost.cpu() * 1e3);
  }

  /** The cost of a query, which must have rows. */
  private static Cost query(String rql, URI server, List<ClusterProcess> others)
      throws IOException {
    int[] rows = {0};
    Begun begun = Begun.now(others);
    try (RqlClient client = new RqlClient(server)) {
      client.run(
          rql,
          new RowSink() {
            @Override
            public void columns(List<Column> columns) {}

            @Override
            public boolean row(Row row) {
              rows[0]++;
              return true;
            }

            @Override
            public void warning(String message) {}
          });
    }
    if (rows[0] == 0) {
      throw new IllegalStateException("no rows from " + server);
    }
    return begun.end();
  }
}
