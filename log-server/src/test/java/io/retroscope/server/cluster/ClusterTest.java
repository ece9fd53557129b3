// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.app.TestCertificate;
import io.retroscope.server.cluster.FaultRun.Fault;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.metrics.MetricCatalogue;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.PemTls;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of servers that share a topic. */
@Timeout(180)
class ClusterTest {
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT r1, SPREAD(r1) AS s FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 2)",
          "SELECT r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 3 EMIT EDGES",
          "SELECT COUNT(r1) AS c FROM setd WHEN SPREAD(r1) >= 3 EMIT INTERVALS",
          "SHOW NODES",
          "SHOW LOGS",
          "DESCRIBE setd");

  /** Its episodes are of stamps long ago, and whether they are summarized depends on the steps. */
  private static final String ALERT =
      "CREATE ALERT far WITH (summarize=100000h) AS (NEVER SPREAD(r1) >= 3 FROM setd)";

  /** Of the interval of an offset, after many messages of at most 2 ms. */
  private static final long MOST_WIDTH_MICROS = 10_000;

  private static final int SLICES = 12;

  /** The time after which the broker shuts out a server that does not read. */
  private static final Duration POLL_LIMIT = Duration.ofSeconds(8);

  private static final String READER = "0123456789abcdef0123456789abcde1";
  private static final String OPERATOR = "0123456789abcdef0123456789abcde2";

  private static final Path HTTP_PAGE = Path.of("../docs/format/http.md");
  private static final Path OPERATING_PAGE = Path.of("../docs/operating.md");

  private static final String SOCKET = "/v1/events/socket";

  /** The statuses of a request whose body says nothing, at a call that there is. */
  private static final Set<Integer> REACHED = Set.of(200, 400, 409, 415, 422);

  private static KafkaBroker broker;
  @TempDir static Path brokerFolder;

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(brokerFolder);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  /** A store of all events, as one process has it. */
  private QueryEngine embedded(EventStore store) {
    return new QueryEngine(() -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  private static void store(List<byte[]> frames, EventStore store) throws Exception {
    List<EncodedFrame> encoded = new ArrayList<>();
    for (byte[] frame : frames) {
      encoded.add(new EncodedFrame(EventBlockCodec.decodeBlock(frame), frame));
    }
    Receipt unused = store.append(new Submission.Frames(encoded)).join();
  }

  private static QueryEngine engine(ClusterServer server) {
    return new QueryEngine(server.cluster().source(), QueryLimits.DEFAULT);
  }

  private static List<String> answer(ClusterServer server, String question) {
    return ClusterFixture.answer(engine(server), question);
  }

  private void assertAnswers(EventStore store, Collection<ClusterServer> servers) {
    for (String question : QUESTIONS) {
      List<String> expected = ClusterFixture.answer(embedded(store), question);
      assertThat(expected).hasSizeGreaterThan(1);
      for (ClusterServer server : servers) {
        assertThat(answer(server, question))
            .as("seed %d, server %s: %s", seed, server.uri(), question)
            .isEqualTo(expected);
      }
    }
  }

  /** A log of nodes with known clocks, and a store with the same events. */
  private static void assertClocks(
      SkewedNodes nodes, EventStore store, Collection<ClusterServer> servers) throws Exception {
    ClockOffsets aligned = ClockAlignment.of(nodes.events());
    QueryEngine embedded = new QueryEngine(() -> store.open(aligned), QueryLimits.DEFAULT);
    for (ClusterServer server : servers) {
      QueryEngine engine = new QueryEngine(server.cluster().source(), QueryLimits.DEFAULT);
      for (String question : questions(nodes)) {
        TimedAnswer expected = TimedAnswer.of(embedded, question);
        assertThat(expected.rowCount()).as(question).isPositive();
        TimedAnswer.of(engine, question).assertIs(expected, question);
      }
      try (EventSource.View view = server.cluster().source().open()) {
        ClockOffsets offsets = view.clockOffsets();
        assertThat(ClusterFixture.get(server, "/v1/alignment").body())
            .contains("\"driverNode\":\"clock0\"", "\"node\":\"clock4\"");
        assertThat(offsets.referenceNode()).hasValue(SkewedNodes.name(0));
        SkewedNodes.offsetsMicros()
            .forEach((node, micros) -> assertContains(offsets, node, nodes.middleHlc(), micros));
      }
    }
  }

  private static void assertContains(ClockOffsets offsets, String node, long hlc, long micros) {
    Offset offset = offsets.offset(node, hlc).orElseThrow();
    long low = offset.lowMicros().orElseThrow();
    long high = offset.highMicros().orElseThrow();
    assertThat(micros).as(node).isBetween(low, high);
    assertThat(high - low).as(node).isLessThan(MOST_WIDTH_MICROS);
  }

  private static List<String> questions(SkewedNodes nodes) {
    long from = HlcTimestamp.micros(nodes.middleHlc());
    return List.of(
        "SELECT x, WallTime() AS w FROM skewed WHEN SPREAD(x) >= 20",
        "SELECT COUNT(x) AS c FROM skewed WHEN SPREAD(x) >= 10 EMIT INTERVALS",
        "SELECT x FROM skewed ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(from, from + 500_000));
  }

  /** The other servers walk slices, here with borders that unsealed events do not have. */
  private void assertSlicesAreWalkedByOthers(EventStore store, ClusterServer server) {
    EventSource sliced =
        () -> {
          View view = server.cluster().source().open();
          HlcRange all = view.extent().orElseThrow();
          long[] borders = new long[SLICES - 1];
          for (int i = 0; i < borders.length; i++) {
            borders[i] = all.from() + (all.to() - all.from()) / SLICES * (i + 1);
          }
          return MergedViewTest.sliced(view, borders, ((Slicing) view)::another);
        };
    QueryEngine engine = new QueryEngine(sliced, QueryLimits.DEFAULT);
    for (String question : QUESTIONS.subList(0, 3)) {
      assertThat(ClusterFixture.answer(engine, question))
          .as("seed %d, in slices: %s", seed, question)
          .isEqualTo(ClusterFixture.answer(embedded(store), question));
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> ClusterFixture.answer(engine, "EXPLAIN ANALYZE " + QUESTIONS.get(0)).toString(),
            plan -> plan.contains("of these, at other servers: "));
  }

  /** Lines are sent to the topic as blocks, which are stored once. */
  private static void assertLines(ClusterServer server) throws Exception {
    String lines =
        """
        {"node":"line1","log":"l","hlc":"1795200000000000.3","set":{"x":1}}
        {"node":"line2","log":"l","hlc":"1795200000000000.4","set":{"x":2}}
        """;
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> reply =
          ClusterFixture.post(server, "/v1/events", "application/x-ndjson", lines.getBytes(UTF_8));
      assertThat(reply.body()).isEqualTo("{\"accepted\":2}");
    }
    assertThat(answer(server, "SELECT x FROM l"))
        .filteredOn(line -> line.startsWith("row "))
        .hasSize(2);
    assertFollows(server, server);
    assertThat(ClusterFixture.get(server, "/v1/lines?log=app").body().lines().toList())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"first\""),
            line -> assertThat(line).contains("\"second\""));
  }

  /** What lines say is missing is in the topic when they are acknowledged, as events are. */
  private static void assertStates(ClusterServer server) throws Exception {
    String question = "SELECT x FROM l";
    assertThat(answer(server, question)).noneMatch(line -> line.contains("something is missing"));
    String lines =
        """
        {"node":"line1","hlc":"1795200000000000.4","lost":{"from":"1795200000000000.3","events":17}}
        {"warning":"something is missing"}
        """;
    HttpResponse<String> reply =
        ClusterFixture.post(server, "/v1/events", "application/x-ndjson", lines.getBytes(UTF_8));
    assertThat(reply.body()).isEqualTo("{\"accepted\":0}");
    assertThat(answer(server, question))
        .anyMatch(line -> line.contains("something is missing"))
        .anyMatch(line -> line.contains("17 events of node line1"));
    assertThat(ClusterFixture.get(server, "/v1/server").body()).contains("\"lost\":17,");
  }

  /** Lines that are sent to a server come in order to those that follow at another one. */
  private static void assertFollows(ClusterServer server, ClusterServer sentTo) throws Exception {
    HttpRequest following =
        HttpRequest.newBuilder(server.uri().resolve("/v1/lines?follow=true")).build();
    HttpResponse<Stream<String>> answer =
        HttpClient.newHttpClient().send(following, BodyHandlers.ofLines());
    assertThat(answer.statusCode()).isEqualTo(200);
    try (Stream<String> received = answer.body()) {
      Iterator<String> messages = received.filter(line -> line.contains("\"message\"")).iterator();
      long now = PhysicalClock.system().micros();
      String lines = line("later", now + 2, "second") + line("earlier", now + 1, "first");
      ClusterFixture.post(sentTo, "/v1/events", "application/x-ndjson", lines.getBytes(UTF_8));
      assertThat(messages.next()).contains("\"first\"");
      assertThat(messages.next()).contains("\"second\"");
    }
  }

  private static String line(String node, long micros, String message) {
    return "{\"node\":\"%s\",\"log\":\"app\",\"hlc\":\"%d.0\",\"message\":\"%s\"}\n"
        .formatted(node, micros, message);
  }

  /** Two servers, then the one that remains; a live query and an alert follow all the time. */
  @Test
  void query_anyServerAndAfterOneHasLeft_answersAsOneStore() throws Exception {
    LiveFrames frames = new LiveFrames(seed, 7, 100);
    int half = frames.turns().size() / 2;
    try (EventStore store =
            EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(broker, "leaves", folder)) {
      cluster.start(1);
      // Nothing is followed yet, so that this waits for the partitions.
      HttpRequest stored =
          HttpRequest.newBuilder(cluster.server(1).uri().resolve("/v1/lines?follow=false")).build();
      var lines = HttpClient.newHttpClient().sendAsync(stored, BodyHandlers.ofString());
      cluster.start(2);
      cluster.awaitPlacement();
      assertThat(lines.join().statusCode()).as(lines.join().body()).isEqualTo(200);
      assertKnowsListeners(cluster.server(1), cluster.server(2));
      int leaving = cluster.server(1).cluster().evaluatesAlerts() ? 1 : 2;
      URI staying = cluster.server(3 - leaving).uri();
      List<URI> both = List.of(staying, cluster.server(leaving).uri());
      try (LiveComparison live =
          new LiveComparison("seed " + seed, folder.resolve("single"), frames, both)) {
        createAlert(live, staying, cluster.server(leaving));
        store(frames.first(), store);
        send(frames.turns().subList(0, half), live, both, store);
        live.awaitSameRows();
        live.awaitSameEpisodes(() -> staying);
        assertAnswers(store, cluster.servers());
        assertSlicesAreWalkedByOthers(store, cluster.server(leaving));
        assertRefusals(cluster.server(3 - leaving));
        assertDescribesItself(cluster.server(3 - leaving));
        live.assertSameHistory(both);
        assertMeasuresItself(cluster.server(3 - leaving));
        cluster.server(leaving).cluster().leave();
        assertAnswers(store, List.of(cluster.server(leaving)));
        cluster.stop(leaving);
        List<URI> one = both.subList(0, 1);
        send(frames.turns().subList(half, frames.turns().size()), live, one, store);
        live.awaitWatermark(frames.endHlc(), one.get(0));
        live.awaitSameRows();
        live.assertNothingElse();
        live.awaitSameEpisodes(() -> staying);
        live.sendToSingle(frames.late());
        sendBySocket(frames.late(), cluster.server(3 - leaving));
        store(frames.late(), store);
        live.awaitSameAmendments();
        assertAnswers(store, cluster.servers());
      }
      assertLines(cluster.server(3 - leaving));
      assertStates(cluster.server(3 - leaving));
      cluster.send(Map.of("line1", List.of(stop("line1", ""))));
      assertQuarantine(cluster.server(3 - leaving), cluster.server(3 - leaving));
      forget("line1", cluster.server(3 - leaving));
      assertThat(answer(cluster.server(3 - leaving), "SHOW NODES"))
          .anyMatch(line -> line.contains("line2"))
          .noneMatch(line -> line.contains("line1"));
    }
  }

  /** Events that are too far in the future can be released and deleted at any server. */
  private static void assertQuarantine(ClusterServer server, ClusterServer other) throws Exception {
    long ahead = PhysicalClock.system().micros() + TimeUnit.HOURS.toMicros(1);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < ClusterFixture.PARTITIONS; i++) {
      lines.append(line("ahead" + i, ahead, "too early"));
    }
    assertThat(
            ClusterFixture.post(
                    server, "/v1/events", "application/x-ndjson", lines.toString().getBytes(UTF_8))
                .statusCode())
        .isEqualTo(200);
    String path = "/v1/admin/quarantine";
    assertThat(ClusterFixture.get(other, path).body())
        .startsWith("{\"nodes\":[{\"node\":\"ahead0\",\"events\":1,")
        .contains("ahead5");
    assertThat(posted(other, path + "/release", "{\"nodes\":[\"ahead1\",\"ahead4\"]}"))
        .isEqualTo("{\"released\":2,\"duplicates\":0,\"contradicting\":0}");
    assertThat(posted(server, path + "/purge", "{}")).isEqualTo("{\"purged\":4}");
    assertThat(ClusterFixture.get(other, path).body()).isEqualTo("{\"nodes\":[]}");
    assertThat(ClusterFixture.get(server, "/v1/lines?log=app").body())
        .contains("\"ahead1\"", "\"ahead4\"");
  }

  private static String posted(ClusterServer server, String path, String body) throws Exception {
    return ClusterFixture.post(server, path, "application/json", body.getBytes(UTF_8)).body();
  }

  /** The end of the last run of a node. */
  private static byte[] stop(String node, String run) {
    return stop(node, run, ClusterFixture.START_MICROS);
  }

  private static byte[] stop(String node, String run, long startMicros) {
    long hlc = HlcTimestamp.pack(startMicros + TimeUnit.SECONDS.toMicros(1));
    Event stop = new Event(node, "", hlc, new EventBody.Stop());
    return EventBlockCodec.encode(new EventBlockBuilder().incarnation(run, 0).add(stop).build());
  }

  /** Refused for as long as the node counts as active. */
  private static void forget(String node, ClusterServer server) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(statement(server.uri(), "FORGET NODE " + node))
                    .contains("{\"node\":\"" + node + "\""));
  }

  /** A server that does not evaluate the alerts forwards requests, but none twice. */
  private static void createAlert(LiveComparison live, URI other, ClusterServer server)
      throws Exception {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> ClusterFixture.get(server, "/v1/alerts").statusCode() == 200);
    live.createAlert(ALERT, other);
    assertThat(statement(other, "CREATE ALERT none AS (NEVER SPREAD(r1) >= 99 FROM setd)"))
        .contains("created");
    assertThat(statement(other, "DROP ALERT none")).contains("dropped");
    assertThat(statement(other, "DROP ALERT none")).contains("there is no alert none");
    String mute = "{\"alert\":\"far\",\"seconds\":0}";
    HttpRequest.Builder muting =
        HttpRequest.newBuilder(other.resolve("/v1/alerts/mute"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(mute));
    assertThat(body(muting)).isEqualTo("{\"mutedUntil\":null}");
    assertThat(body(HttpRequest.newBuilder(other.resolve("/v1/alerts/history?alert=nothing"))))
        .contains("there is no alert nothing");
    String marked = "Retroscope-Forwarded";
    assertThat(body(HttpRequest.newBuilder(other.resolve("/v1/alerts")).header(marked, "true")))
        .contains("are evaluated at " + server.uri(), "try again in some seconds");
  }

  private static String statement(URI server, String statement) throws Exception {
    return HttpClient.newHttpClient()
        .send(LiveComparison.statement(server, statement), BodyHandlers.ofString())
        .body();
  }

  private static String body(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).body();
  }

  @Test
  @Timeout(600)
  void events_serversAreKilledStartedAgainAndReplaced_areAllStoredOnceAndAnswered()
      throws Exception {
    runFaults(Fault.EMPTY, Fault.RESTART, Fault.REPLACE);
  }

  @Tag("slow")
  @Test
  @Timeout(600)
  void events_serverThatIsStoppedForLongerThanASession_areAllStoredOnceAndAnswered()
      throws Exception {
    runFaults(Fault.PAUSE);
  }

  private void runFaults(Fault... faults) throws Exception {
    try (ClusterChildren cluster = new ClusterChildren(folder, "fails" + faults.length, broker)) {
      cluster.startHere();
      cluster.start();
      new FaultRun(folder, seed).run(cluster, List.of(faults));
    }
  }

  /** Also a process that does not notice it is shut out, and nothing that it wrote is gone. */
  @Test
  void takeOver_ofRecords_shutsOutTheEarlierServer() throws Exception {
    broker.createTopic("fenced", 1, ClusterFixture.SETTINGS);
    KafkaOptions kafka = KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), "fenced");
    Map<String, Optional<byte[]>> read = new TreeMap<>();
    try (EventTopic events = EventTopic.open(kafka, System::nanoTime);
        AlertTopic earlier = alerts(events, "earlier")) {
      earlier.putAlerts(Map.of("a", Optional.of(new byte[] {1}), "b", Optional.of(new byte[1])));
      earlier.putAlerts(Map.of("b", Optional.empty()));
      earlier.confirm();
      try (AlertTopic later = alerts(events, "later")) {
        assertThatThrownBy(earlier::confirm).hasMessageContaining("another server has taken over");
        assertThat(earlier.hasEnded()).isTrue();
        later.confirm();
        later.readAlerts(
            "", "", (key, value) -> read.put(key, Optional.of(value)) == null || read.size() < 9);
      }
    }
    assertThat(read.get("a")).hasValue(new byte[] {1});
    assertThat(read).doesNotContainKey("b");
  }

  private AlertTopic alerts(EventTopic events, String name) {
    return AlertTopic.open(
        events.takeOver("-alerts"),
        EventStore.open(folder.resolve(name), StoreOptions.DEFAULT, PhysicalClock.system()),
        events.id().toString());
  }

  private static void send(
      List<List<byte[]>> turns, LiveComparison live, List<URI> servers, EventStore store)
      throws Exception {
    for (List<byte[]> turn : turns) {
      live.send(turn, servers);
      store(turn, store);
    }
  }

  /** As the page of the HTTP API shows it. */
  private static void assertDescribesItself(ClusterServer server) throws Exception {
    String one =
        "\\{\"address\":\"127\\.0\\.0\\.1:\\d+\",\"owned\":\\[[\\d,]+],\"copies\":\\[[\\d,]+]}";
    assertThat(ClusterFixture.get(server, "/v1/cluster").body())
        .startsWith("{\"partitions\":6,\"servers\":[")
        .contains(":" + server.uri().getPort() + "\"")
        .matches(
            ".*:\\["
                + one
                + ","
                + one
                + "],\"offsetsHere\":\\{(\"\\d\":\\d+,?)+},\"watermark\":\"[\\d.]+\",\"waitsFor\":\\[]}");
  }

  /** Each server has three partitions and three copies. */
  private static void assertMeasuresItself(ClusterServer server) throws Exception {
    String metrics = ClusterFixture.get(server, "/metrics").body();
    assertThat(
            Pattern.compile("(?m)^# TYPE (retroscope_\\S+) (\\S+)$")
                .matcher(metrics)
                .results()
                .map(found -> found.group(1) + " " + found.group(2)))
        .containsExactlyInAnyOrderElementsOf(MetricCatalogue.typesOfAClusterFromTheStart());
    assertThat(metrics)
        .contains("retroscope_ready 1.0\n", "retroscope_cluster_partitions 3.0\n")
        .contains("retroscope_cluster_copies 3.0\n")
        .contains("retroscope_cluster_partitions_holding 0.0\n")
        .containsPattern("retroscope_blocks [1-9]")
        .containsPattern("retroscope_disk_free_bytes [1-9]");
  }

  /** Three servers, then two after one has left, then one that was restored from the topic only. */
  @Tag("slow")
  @Test
  void query_anyServerWhileSomeLeaveAndJoin_answersAsOneStore() throws Exception {
    Map<String, List<byte[]>> frames = ClusterFixture.staleness(seed, 7, 200);
    try (EventStore store =
            EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(broker, "joins", folder)) {
      store(frames.values().stream().flatMap(List::stream).toList(), store);
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      cluster.send(frames);
      SkewedNodes skewed = new SkewedNodes(seed, 300);
      cluster.send(skewed.frames());
      store(skewed.frames().values().stream().flatMap(List::stream).toList(), store);
      assertAnswers(store, cluster.servers());
      assertClocks(skewed, store, cluster.servers());
      byte[] stop = stop("n3", "bn3");
      store(List.of(stop), store);
      cluster.send(Map.of("n3", List.of(stop)));
      forget("n3", cluster.server(2));
      assertThat(store.forget("n3")).isNotEmpty();
      assertAnswers(store, cluster.servers());

      cluster.stop(1);
      assertAnswers(store, cluster.servers());
      cluster.awaitPlacement();
      cluster.stop(2);
      cluster.stop(3);
      cluster.start(4);
      cluster.awaitPlacement();
      assertAnswers(store, cluster.servers());
      assertClocks(skewed, store, cluster.servers());
      cluster.start(5);
      cluster.start(6);
      cluster.awaitPlacement();
      assertFollows(cluster.server(5), cluster.server(4));
      assertQuarantine(cluster.server(5), cluster.server(6));
    }
  }

  @Tag("slow")
  @Test
  void calls_atEachOfThreeServers_areAnsweredAlike() throws Exception {
    try (ClusterFixture cluster = new ClusterFixture(broker, "calls", folder)) {
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      cluster.send(ClusterFixture.staleness(seed, 7, 40));
      assertSameForClients(List.copyOf(cluster.servers()));
    }
  }

  /** What a recorder sent to each server, and was acknowledged, is at all of them. */
  private static void assertSameForClients(List<ClusterServer> servers) throws Exception {
    for (int i = 0; i < servers.size(); i++) {
      ClusterServer server = servers.get(i);
      try (Recorder recorder =
          Recorder.builder()
              .node("own" + i)
              .sink(HttpSink.builder().server(server.uri()).build())
              .build()) {
        recorder.log("own").set("v", i);
        assertThat(recorder.flush(Duration.ofSeconds(60))).isTrue();
        assertThat(ClusterFixture.get(server, "/metrics").body())
            .contains("retroscope_sockets_open 1");
      }
    }
    Set<String> exports = new HashSet<>();
    Set<String> verdicts = new HashSet<>();
    Set<String> sessions = new HashSet<>();
    for (ClusterServer server : servers) {
      exports.add(
          ClusterFixture.get(server, "/v1/events?log=own&log=setd")
              .body()
              .lines()
              .filter(line -> !line.contains("\"heartbeat\"")) // They arrive meanwhile.
              .collect(joining("\n")));
      verdicts.add(statement(server.uri(), "NEVER MAX(v) >= 2 FROM own"));
      sessions.add(
          ClusterFixture.get(server, "/v1/session").body().replaceAll("\"(now|watermark)\".*", ""));
    }
    assertThat(exports)
        .singleElement(as(STRING))
        .contains("\"node\":\"own0\"", "\"node\":\"own1\"", "\"node\":\"own2\"", "\"r1\"");
    assertThat(verdicts).singleElement(as(STRING)).contains("\"verdict\":\"broken\"");
    assertThat(sessions).singleElement(as(STRING)).contains("\"may\":[");
  }

  /**
   * What the page of the API lists is answered, unless the page about clusters lists it as refused.
   */
  private static void assertKnowsAllCalls(ClusterServer server) throws Exception {
    Matcher calls =
        Pattern.compile("(?m)^\\| `((GET|POST) (/[^`]*))`").matcher(Files.readString(HTTP_PAGE));
    Set<String> refused = new TreeSet<>();
    int count = 0;
    for (; calls.find(); count++) {
      if (calls.group(3).equals(SOCKET)) {
        connect(server.uri(), new LinkedBlockingQueue<>()).abort();
        continue;
      }
      HttpResponse<InputStream> reply = call(server, calls.group(2), calls.group(3));
      try (InputStream body = reply.body()) {
        // A stream that is followed has no end.
        String start = reply.statusCode() == 200 ? "" : new String(body.readNBytes(1_000), UTF_8);
        if (reply.statusCode() == 501) {
          assertThat(start).contains("A cluster does not do this", "a cluster ");
          refused.add(calls.group(1));
        } else {
          assertThat(reply.statusCode())
              .as("%s: %s", calls.group(), start)
              .isIn(calls.group(2).equals("GET") ? Set.of(200) : REACHED);
        }
      }
    }
    assertThat(count).isGreaterThan(30);
    String page = Files.readString(OPERATING_PAGE);
    String list = page.substring(page.indexOf("A cluster refuses"));
    Matcher listed =
        Pattern.compile("`((GET|POST) /[^`]*)`").matcher(list.substring(0, list.indexOf("\n## ")));
    assertThat(listed.results().map(result -> result.group(1)).collect(toSet())).isEqualTo(refused);
  }

  /** A request of the page, as one that works if it has no body. */
  private static HttpResponse<InputStream> call(ClusterServer server, String method, String path)
      throws Exception {
    String filled =
        path.replace("<file>", "pages/main.js")
            .replaceAll("\\{\\w+}", "1")
            .replaceAll("^/v1/query$", "/v1/query?query=SHOW%20NODES")
            .replaceAll("^/v1/stream$", "/v1/stream?query=SELECT%20STREAM%20r1%20FROM%20setd");
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(filled));
    if (method.equals("POST")) {
      request.header("Content-Type", "application/json").POST(BodyPublishers.ofString("{}"));
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream());
  }

  /** A node's connection, which learns about followers at another server. */
  private static void assertKnowsListeners(ClusterServer server, ClusterServer other)
      throws Exception {
    BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    WebSocket socket = connect(server.uri(), texts);
    assertThat(texts.poll(60, TimeUnit.SECONDS)).isEqualTo("{\"listen\":false}");
    await().atMost(Duration.ofSeconds(60)).until(() -> other.cluster().incompleteness().isEmpty());
    HttpRequest following =
        HttpRequest.newBuilder(other.uri().resolve("/v1/lines?follow=true")).build();
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient().send(following, BodyHandlers.ofInputStream());
    // The state is sent again from time to time.
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> texts.stream().anyMatch(text -> text.startsWith("{\"listen\":true")));
    answer.body().close();
    socket.abort();
  }

  private static WebSocket connect(URI server, BlockingQueue<String> texts) {
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            texts.add(text.toString());
            socket.request(1);
            return null;
          }
        };
    URI address = URI.create("ws://127.0.0.1:" + server.getPort() + SOCKET);
    return HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, listener).join();
  }

  /** Batches of a connection are acknowledged once they are in the topic. */
  private static void sendBySocket(List<byte[]> frames, ClusterServer server) throws Exception {
    BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    WebSocket socket = connect(server.uri(), texts);
    for (byte[] frame : frames) {
      socket.sendBinary(ByteBuffer.wrap(frame), true).join();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> texts.contains("{\"batch\":%d,\"accepted\":1}".formatted(frames.size())));
    socket.abort();
  }

  private static void assertRefusals(ClusterServer server) throws Exception {
    assertKnowsAllCalls(server);
    HttpResponse<String> rows =
        ClusterFixture.post(
            server, "/v1/query", "application/rql", QUESTIONS.get(0).getBytes(UTF_8));
    assertThat(rows.statusCode()).as(rows.body()).isEqualTo(200);
    assertThat(rows.body()).contains("\"r1\"").doesNotContain("warning");
    HttpResponse<String> reading =
        ClusterFixture.post(server, Readings.PATH, Readings.JSON, "{}".getBytes(UTF_8));
    assertThat(reading.statusCode()).isEqualTo(401);
    assertThat(reading.body()).contains("--cluster-token-file");
  }

  /**
   * The server that evaluates the alerts checks the token of the caller, which it gets over TLS.
   */
  @Tag("slow")
  @Test
  void alerts_atAnotherServer_needTheRoleOfTheCallersToken() throws Exception {
    String tokens = "grafana read %s\noperator write,admin %s".formatted(READER, OPERATOR);
    TestCertificate own = TestCertificate.make(folder, "own");
    AccessOptions access =
        new AccessOptions(
            Optional.empty(),
            Optional.of(tokens),
            Optional.empty(),
            List.of(),
            false,
            Optional.of(new TlsFiles(own.certificate(), own.key(), Optional.empty())),
            Optional.empty());
    SSLContext before = SSLContext.getDefault();
    SSLContext.setDefault(PemTls.context(own.certificate(), null, null));
    try (ClusterFixture cluster = new ClusterFixture(broker, "guarded", folder)) {
      cluster.start(1, "server1", access);
      cluster.start(2, "server2", access);
      cluster.awaitPlacement();
      int other = cluster.server(1).cluster().evaluatesAlerts() ? 2 : 1;
      assertForwardsTokens(cluster.server(other).uri());
      for (ClusterServer server : cluster.servers()) {
        assertRoles(server.uri());
      }
    } finally {
      SSLContext.setDefault(before);
    }
  }

  private static void assertForwardsTokens(URI server) throws Exception {
    HttpRequest.Builder creating =
        HttpRequest.newBuilder(server.resolve("/v1/query"))
            .header("Content-Type", "application/rql")
            .POST(
                BodyPublishers.ofString("CREATE ALERT none AS (NEVER SPREAD(r1) >= 99 FROM setd)"));
    HttpRequest.Builder read = HttpRequest.newBuilder(server.resolve("/v1/alerts"));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(status(read.copy(), READER)).isEqualTo(200));
    String mute = "{\"alert\":\"none\",\"seconds\":60}";
    HttpRequest.Builder muting =
        HttpRequest.newBuilder(server.resolve("/v1/alerts/mute"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(mute));
    assertThat(status(read.copy(), "0".repeat(32))).isEqualTo(401);
    assertThat(status(creating.copy(), READER)).isEqualTo(403);
    assertThat(status(creating.copy(), OPERATOR)).isEqualTo(200);
    assertThat(status(muting.copy(), READER)).isEqualTo(403);
    assertThat(status(muting.copy(), OPERATOR)).isEqualTo(200);
    assertThat(body(read.copy().header("Authorization", "Bearer " + READER)))
        .contains("\"none\"", "\"mutedUntil\":\"");
  }

  private static void assertRoles(URI server) throws Exception {
    for (String path : List.of("/v1/session", "/v1/nodes", "/v1/server", "/v1/timeline/20/1")) {
      HttpRequest.Builder reading = HttpRequest.newBuilder(server.resolve(path));
      assertThat(status(reading.copy(), "0".repeat(32))).as(path).isEqualTo(401);
      assertThat(status(reading.copy(), READER)).as(path).isEqualTo(200);
    }
    HttpRequest.Builder writing =
        HttpRequest.newBuilder(server.resolve("/v1/events"))
            .header("Content-Type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(line("n", 1_795_200_000_000_000L, "m")));
    assertThat(status(writing.copy(), READER)).isEqualTo(403);
    assertThat(status(writing.copy(), OPERATOR)).isEqualTo(200);
    HttpRequest.Builder forgetting = LiveComparison.request(server, "FORGET NODE nothing");
    assertThat(status(forgetting.copy(), READER)).isEqualTo(403);
    assertThat(status(forgetting.copy(), OPERATOR)).isEqualTo(400);
  }

  private static int status(HttpRequest.Builder request, String token) throws Exception {
    HttpRequest guarded = request.header("Authorization", "Bearer " + token).build();
    return HttpClient.newHttpClient().send(guarded, BodyHandlers.ofString()).statusCode();
  }

  @Tag("slow")
  @Test
  void start_topicThatCannotBeUsed_namesTheSetting() throws Exception {
    try (ClusterFixture cluster = new ClusterFixture(broker, "checked", folder)) {
      cluster.start(1);
      cluster.stop(1);
      broker.growTopic("checked", 8);
      assertThatThrownBy(() -> cluster.start(1))
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("had 6 partitions and has 8 now")
          .hasMessageContaining("--topic");
      broker.deleteTopic("checked");
      assertRefused(cluster, "there is no topic \"checked\"", "create it");
      broker.createTopic("checked", 6, Map.of());
      assertRefused(
          cluster,
          "message.timestamp.type=CreateTime",
          "needs message.timestamp.type=LogAppendTime");
      broker.deleteTopic("checked");
      broker.createTopic("checked", 6, Map.of("message.timestamp.type", "LogAppendTime"));
      assertRefused(cluster, "has retention.ms=", "needs retention.ms=-1");
      broker.deleteTopic("checked");
      broker.createTopic("checked", 6, ClusterFixture.SETTINGS);
      assertRefused(cluster, "was created again", "nothing was changed");
    }
  }

  /** The broker publishes a change of topics a moment later. */
  private static void assertRefused(ClusterFixture cluster, String... sentence) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> cluster.start(1))
                    .isInstanceOf(ServerException.class)
                    .message()
                    .contains(sentence));
  }

  /**
   * A server that waited at the record would be shut out of the group, and all its partitions would
   * move to the next one, which would wait there as well.
   */
  @Tag("slow")
  @Test
  void record_ofAnotherVersion_holdsItsPartitionAndNothingElse() throws Exception {
    try (ClusterFixture cluster = new ClusterFixture(broker, "held", folder)) {
      cluster.set("max.poll.interval.ms", Long.toString(POLL_LIMIT.toMillis()));
      cluster.start(1);
      cluster.start(2);
      cluster.awaitPlacement();
      cluster.send(ClusterFixture.staleness(seed, 7, 40));
      String unknown =
          new String(new Directive.Trim(1, 1).value(), UTF_8).replace("trim", "abolish");
      cluster.produce(0, Directive.key(), unknown.getBytes(UTF_8));
      String sentence = "of partition 0 cannot be stored by this server";
      for (ClusterServer server : cluster.servers()) {
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> server.cluster().trouble().orElse("").contains(sentence));
      }
      Map<Integer, Long> before = cluster.server(1).cluster().offsets();
      cluster.send(ClusterFixture.staleness(seed + 1, 7, 40, "later"));
      await()
          .during(POLL_LIMIT.multipliedBy(2))
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertOnlyOneIsHeld(cluster, before));
      for (ClusterServer server : cluster.servers()) {
        assertThat(ClusterFixture.get(server, "/v1/health").body()).contains(sentence);
        assertThat(ClusterFixture.get(server, "/v1/cluster").body())
            .containsPattern("\"waitsFor\":\\[\"partition 0 is .*" + sentence);
        HttpResponse<String> nodes = ClusterFixture.get(server, "/v1/nodes");
        assertThat(nodes.statusCode()).isEqualTo(503);
        assertThat(nodes.body()).contains("no server has partition 0 up to offset", sentence);
      }
    }
  }

  private static void assertOnlyOneIsHeld(ClusterFixture cluster, Map<Integer, Long> before) {
    assertThat(cluster.server(1).cluster().instances())
        .hasSize(2)
        .allSatisfy(server -> assertThat(server.owned()).hasSize(ClusterFixture.PARTITIONS / 2));
    Map<Integer, Long> after = cluster.server(1).cluster().offsets();
    assertThat(after.get(0)).isEqualTo(before.get(0));
    assertThat(after.entrySet())
        .filteredOn(of -> of.getValue() > before.get(of.getKey()))
        .hasSizeGreaterThan(2);
  }

  /** Streams would skip the removed records, or delete the store. */
  @Tag("slow")
  @Test
  void start_recordsRemovedMeanwhile_standsStillAndDeletesNothing() throws Exception {
    Map<String, List<byte[]>> frames = ClusterFixture.staleness(seed, 7, 40);
    try (ClusterFixture cluster = new ClusterFixture(broker, "overtaken", folder)) {
      cluster.keepFor(Duration.ofDays(100_000));
      cluster.start(1);
      cluster.awaitPlacement();
      cluster.send(frames);
      List<String> before = answer(cluster.server(1), QUESTIONS.get(0));
      Map<Integer, Long> offsets = new TreeMap<>(cluster.server(1).cluster().offsets());
      cluster.stop(1);

      cluster.start(2);
      cluster.awaitPlacement();
      cluster.send(ClusterFixture.staleness(seed + 1, 7, 40, "later"));
      cluster.stop(2);
      cluster.removeRecords();

      assertThat(sentence(cluster))
          .contains("were removed before they were read here", "retention.ms")
          .contains("nothing was deleted or skipped");
      offsets.values().removeIf(next -> next == 0); // They begin where the topic does, and say so.
      assertThat(offsets).isNotEmpty();
      assertThat(cluster.storedOffsets(1)).containsAllEntriesOf(offsets);
      assertThat(before).hasSizeGreaterThan(1);
    }
  }

  /**
   * Of nodes that ended, and of one that writes still; then a server is restored from the topic.
   */
  @Tag("slow")
  @Test
  void keepFor_ownersCopiesAndRestoredStores_removeTheSame() throws Exception {
    long now = PhysicalClock.system().micros();
    long old = now - TimeUnit.MINUTES.toMicros(10);
    Map<String, List<byte[]>> ended = ClusterFixture.staleness(seed, 7, 40, "old", old);
    ended.forEach((node, own) -> own.add(stop(node, "b" + node, old)));
    Map<String, List<byte[]>> recent = ClusterFixture.staleness(seed + 1, 7, 40, "n", now);
    try (EventStore one =
            EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(broker, "aging", folder)) {
      cluster.keepFor(Duration.ofMinutes(5));
      cluster.start(1);
      cluster.start(2);
      cluster.awaitPlacement();
      for (Map<String, List<byte[]>> frames :
          List.of(ended, recent, Map.of("both", both(old, now)))) {
        cluster.send(frames);
        store(frames.values().stream().flatMap(List::stream).toList(), one);
      }
      one.trim(HlcTimestamp.pack(now - TimeUnit.MINUTES.toMicros(5)));
      assertThat(one.reachesBackTo(HlcTimestamp.pack(now - 1_000_000))).isFalse();
      awaitSame(one, cluster);
      cluster.stop(1);
      cluster.start(3);
      cluster.awaitPlacement();
      awaitSame(one, cluster);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(answer(cluster.server(3), "SHOW NODES"))
                      .noneMatch(row -> row.contains("old")));
      cluster.stop(2);
      cluster.stop(3);
      for (int partition = 0; partition < ClusterFixture.PARTITIONS; partition++) {
        assertThat(content(cluster.store(3, partition)))
            .as("seed %d: restored store of partition %d", seed, partition)
            .isEqualTo(content(cluster.store(2, partition)));
      }
    }
  }

  /** A block of an event that is removed, and of one that remains. */
  private static List<byte[]> both(long old, long now) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", 1);
    for (long micros : new long[] {old, now}) {
      EventBody.Change change =
          new EventBody.Change(EventBody.Operation.SET, "r1", Value.of(micros));
      builder.add(
          new Event(
              "both",
              "setd",
              HlcTimestamp.pack(micros),
              new EventBody.StateChange(List.of(change))));
    }
    return List.of(EventBlockCodec.encode(builder.build()));
  }

  /** Waits until each server answers as a store does, except for where exactly history begins. */
  private static void awaitSame(EventStore one, ClusterFixture cluster) {
    QueryEngine embedded =
        new QueryEngine(() -> one.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              for (ClusterServer server : cluster.servers()) {
                for (String question : QUESTIONS.subList(0, 3)) {
                  assertThat(withoutStamp(answer(server, question)))
                      .as(question)
                      .isEqualTo(withoutStamp(ClusterFixture.answer(embedded, question)));
                }
              }
            });
  }

  private static List<String> withoutStamp(List<String> answer) {
    assertThat(answer).filteredOn(line -> line.contains("retention has removed")).hasSize(1);
    return answer.stream().map(line -> line.replaceAll("history begins at \\S+", "")).toList();
  }

  /** The events, runs and reasons of a store. */
  private static List<String> content(Path folder) {
    List<String> content = new ArrayList<>();
    try (EventStore store = EventStore.open(folder, StoreOptions.DEFAULT, PhysicalClock.system());
        EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      view.scanRuns(Set.of("setd"), HlcRange.ALL)
          .forEachRemaining((Event e) -> content.add("" + e));
      view.nodes().forEach(node -> content.add("" + node));
      view.reasons(HlcRange.ALL).forEach(reason -> content.add("" + reason));
      store.incarnations().stream()
          .map(run -> run.name() + " " + run.isForgotten() + " " + run.frontier())
          .sorted()
          .forEach(content::add);
    }
    return content;
  }

  /** What server 1 says, either at its start or once it reads. */
  private static String sentence(ClusterFixture cluster) throws Exception {
    ClusterServer server;
    try {
      server = cluster.start(1);
    } catch (ServerException e) {
      return String.valueOf(e.getMessage());
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> server.cluster().trouble().orElse("").contains("removed"));
    String trouble = server.cluster().trouble().orElseThrow();
    cluster.stop(1);
    return trouble;
  }
}
