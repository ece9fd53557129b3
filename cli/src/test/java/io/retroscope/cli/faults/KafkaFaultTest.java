// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.json.NdjsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills and pauses the broker, the log server and the service, each in a separate process, while
 * events flow from one to the next.
 */
@Timeout(900)
class KafkaFaultTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> QUICK =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** Longer than the lossy node's capacity lasts. */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(2);

  /** Faults are numbered: even ones kill. Any six in a row include all kinds. */
  private static final int FAULT_KINDS = 6;

  private static final int KILLED_BROKER = 4;

  private final long seed = Long.getLong("retroscope.seed", 20261121);
  private final Random random = new Random(seed);

  @TempDir Path folder;

  private BrokerProcess broker;
  private ChildProcess server;
  private ChildProcess service;
  private URI address;

  private enum Target {
    SERVER,
    BROKER,
    SERVICE
  }

  @Test
  @Tag("slow")
  void killedBroker_acknowledgedIsStoredOnceAndLossIsDeclared() throws Exception {
    survive(KILLED_BROKER, 1);
  }

  @Test
  @Tag("slow")
  void twentyFaults_acknowledgedIsStoredOnceAndLossIsDeclared() throws Exception {
    survive(random.nextInt(FAULT_KINDS), 20);
  }

  private void survive(int first, int faultCount) throws Exception {
    System.out.println("seed " + seed);
    int port = LoopbackPorts.take(1, random)[0];
    address = URI.create("http://127.0.0.1:" + port);
    try (BrokerProcess kafka = BrokerProcess.start(folder.resolve("kafka"));
        ChildProcess logServer = server(port, kafka);
        ChildProcess recording = service(kafka)) {
      broker = kafka;
      server = logServer;
      service = recording;
      try {
        startServer();
        service.start();
        await().atMost(PATIENCE).until(() -> acknowledged().size() == FlowService.NODES.size());
        try (LiveWatch live = new LiveWatch(address, "x", FlowService.LOG)) {
          await().atMost(PATIENCE).until(live::hasBegun);
          bear(first, faultCount);
          loseSome();
          end();
          check(live);
        }
      } finally {
        tell(server);
        tell(service);
      }
    }
  }

  private void bear(int first, int faultCount) throws Exception {
    for (int i = first; i < first + faultCount; i++) {
      fault(Target.values()[i % Target.values().length], i % 2 == 0);
      proceed();
    }
  }

  /** Copies a child's output into the test's own output. */
  private static void tell(ChildProcess child) throws IOException {
    if (Files.exists(child.output())) {
      System.out.println("--- " + child.output());
      Files.readAllLines(child.output()).stream().limit(500).forEach(System.out::println);
    }
  }

  private ChildProcess server(int port, BrokerProcess kafka) throws Exception {
    String classPath = System.getProperty("java.class.path");
    return new ChildProcess(
        "the log server",
        Files.createDirectories(folder.resolve("server")),
        "out.txt",
        ChildProcess.command(
            QUICK,
            classPath,
            "io.retroscope.cli.Retroscope",
            "server",
            "--data",
            "data",
            "--port",
            Integer.toString(port),
            "--kafka",
            kafka.address(),
            "--topic",
            BrokerProcess.TOPIC,
            // No node is excluded as silent here: the watermark must wait for each.
            "--idle-timeout",
            "10m"));
  }

  private ChildProcess service(BrokerProcess kafka) throws Exception {
    Path place = Files.createDirectories(folder.resolve("service"));
    return new ChildProcess(
        "the service",
        place,
        "out.txt",
        ChildProcess.command(
            QUICK,
            System.getProperty("java.class.path"),
            FlowService.class.getName(),
            kafka.uri().toString(),
            place.toString()));
  }

  private void startServer() throws Exception {
    long before = readyCount();
    server.start();
    await().atMost(PATIENCE).until(() -> readyCount() > before || !server.isRunning());
    assertThat(server.isRunning()).as("the log server runs").isTrue();
  }

  private long readyCount() throws Exception {
    Path out = server.output();
    return Files.exists(out)
        ? Files.readAllLines(out).stream()
            .filter(line -> line.startsWith("log server ready"))
            .count()
        : 0;
  }

  private void fault(Target target, boolean kill) throws Exception {
    ChildProcess process =
        switch (target) {
          case SERVER -> server;
          case BROKER -> broker.process();
          case SERVICE -> service;
        };
    int awayMillis = 200 + random.nextInt(1_500);
    System.out.printf("%s %s for %d ms%n", kill ? "kill" : "pause", target, awayMillis);
    if (!kill) {
      process.pause();
      TimeUnit.MILLISECONDS.sleep(awayMillis);
      process.resume();
      return;
    }
    process.kill();
    TimeUnit.MILLISECONDS.sleep(awayMillis);
    switch (target) {
      case SERVER -> startServer();
      case BROKER -> broker.start();
      case SERVICE -> service.start();
    }
  }

  /** Waits until both nodes have an acknowledgement for an event recorded after the fault. */
  private void proceed() throws Exception {
    Map<String, Long> before = acknowledged();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                acknowledged().entrySet().stream()
                    .allMatch(node -> node.getValue() > before.get(node.getKey()) + 50));
    TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
  }

  private void loseSome() throws Exception {
    broker.process().pause();
    TimeUnit.MILLISECONDS.sleep(LONG_PAUSE.toMillis());
    broker.process().resume();
    proceed();
  }

  /** Waits until the service has shut down and the server has stored everything. */
  private void end() throws Exception {
    Files.writeString(folder.resolve("service/end"), "");
    assertThat(service.awaitEnd(PATIENCE)).as("the service ends").isTrue();
    assertThat(folder.resolve("service/ended")).exists();
  }

  private void check(LiveWatch live) throws Exception {
    Map<String, Long> acknowledged = acknowledged();
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(missing(stored(FlowService.LOG), acknowledged)).isEmpty());
    await().atMost(PATIENCE).until(() -> live.to() >= lastStored());
    Map<String, List<Long>> stored = stored(FlowService.LOG);
    stored.forEach(
        (node, numbers) ->
            assertThat(numbers).as("seed %d: %s stored once", seed, node).doesNotHaveDuplicates());
    assertThat(live.troubles()).as("seed %d", seed).isEmpty();
    NavigableMap<Long, Value> past = past();
    assertThat(live.rows())
        .as("seed %d: the live rows are those of the past", seed)
        .isEqualTo(new TreeMap<>(past.subMap(live.from(), false, live.to(), true)));
    assertThat(live.rows()).hasSizeGreaterThan(100);
    checkLoss();
  }

  /** Checks that all recorded events of the lossy node are stored or declared lost. */
  private void checkLoss() throws Exception {
    Scanner told = new Scanner(Files.readString(folder.resolve("service/lossy")));
    long base = told.nextLong();
    long recorded = told.nextLong();
    long lost = told.nextLong();
    List<Long> numbers =
        stored(FlowService.LOSSY_LOG).getOrDefault(FlowService.LOSSY_NODE, List.of()).stream()
            .filter(number -> number > base)
            .toList();
    System.out.printf("lossy: recorded %d, lost %d, stored %d%n", recorded, lost, numbers.size());
    assertThat(lost).as("seed %d: the sink had no room", seed).isPositive();
    assertThat(numbers).doesNotHaveDuplicates().hasSize((int) (recorded - lost));
    assertThat(lostByWarnings()).as("seed %d", seed).isGreaterThanOrEqualTo(lost);
  }

  private long lostByWarnings() throws Exception {
    List<String> warnings = new ArrayList<>();
    ask("SELECT x FROM " + FlowService.LOSSY_LOG, new TreeMap<>(), warnings);
    Pattern pattern = Pattern.compile("(\\d+) events? of node " + FlowService.LOSSY_NODE + " .*");
    return warnings.stream()
        .map(pattern::matcher)
        .filter(Matcher::matches)
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .sum();
  }

  /**
   * The last acknowledged number and run of each node; a run's acknowledgements include all earlier
   * ones.
   */
  private Map<String, Long> acknowledged() throws Exception {
    Map<String, Long> last = new HashMap<>();
    for (Acknowledgement each : acknowledgements()) {
      last.merge(each.node, each.number, Math::max);
    }
    return last;
  }

  private record Acknowledgement(String node, long number) {
    static Acknowledgement of(String line) {
      int blank = line.indexOf(' ');
      return new Acknowledgement(
          line.substring(0, blank), Long.parseLong(line.substring(blank + 1)));
    }
  }

  private List<Acknowledgement> acknowledgements() throws IOException {
    Path file = folder.resolve("service/acknowledged");
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(Acknowledgement::of).toList()
        : List.of();
  }

  /** Numbers that a sink reported as delivered, and that are not stored. */
  private Set<String> missing(Map<String, List<Long>> stored, Map<String, Long> upTo)
      throws Exception {
    Map<String, Map<Long, Long>> lastOfRun = new HashMap<>();
    for (Acknowledgement each : acknowledgements()) {
      lastOfRun
          .computeIfAbsent(each.node, node -> new HashMap<>())
          .merge(each.number / FlowService.RUN, each.number, Math::max);
    }
    assertThat(lastOfRun.keySet()).isEqualTo(upTo.keySet());
    Set<String> missing = new HashSet<>();
    lastOfRun.forEach(
        (node, runs) -> {
          Set<Long> there = new HashSet<>(stored.getOrDefault(node, List.of()));
          runs.forEach(
              (run, last) -> {
                for (long number = run * FlowService.RUN + 1; number <= last; number++) {
                  if (!there.contains(number)) {
                    missing.add(node + " " + number);
                  }
                }
              });
        });
    return missing;
  }

  /** The numbers of a log's events, by node. */
  private Map<String, List<Long>> stored(String log) throws Exception {
    Map<String, List<Long>> numbers = new HashMap<>();
    for (Event event : events(log)) {
      Value value = ((StateChange) event.body()).changes().get(0).value();
      long number =
          value instanceof LongValue whole
              ? whole.value()
              : Long.parseLong(((StringValue) value).value().replace("x", ""));
      numbers.computeIfAbsent(event.node(), node -> new ArrayList<>()).add(number);
    }
    return numbers;
  }

  private long lastStored() throws Exception {
    return events(FlowService.LOG).stream().mapToLong(Event::hlc).max().orElseThrow();
  }

  private List<Event> events(String log) throws Exception {
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(address.resolve("/v1/events?log=" + log)).build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    List<Event> events = new ArrayList<>();
    try (InputStream body = response.body()) {
      NdjsonReader reader = new NdjsonReader(body, NdjsonReader.Limits.FILE);
      for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
        if (next.get().body() instanceof StateChange) {
          events.add(next.get());
        }
      }
    }
    return events;
  }

  private NavigableMap<Long, Value> past() throws Exception {
    NavigableMap<Long, Value> rows = new TreeMap<>();
    ask("SELECT x FROM " + FlowService.LOG, rows, new ArrayList<>());
    return rows;
  }

  private void ask(String query, Map<Long, Value> rows, List<String> warnings) throws Exception {
    try (RqlClient client = new RqlClient(address)) {
      client.run(
          query,
          new RowSink() {
            private int column;

            @Override
            public void columns(List<Column> columns) {
              while (columns.get(column).automatic()) {
                column++;
              }
            }

            @Override
            public boolean row(Row row) {
              rows.put(row.hlc(), row.values().get(column));
              return true;
            }

            @Override
            public void warning(String message) {
              warnings.add(message);
            }
          });
    }
  }
}
