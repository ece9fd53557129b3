// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.disk.SourcePosition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/** A topic with servers of a cluster in this process. */
final class ClusterFixture implements AutoCloseable {
  static final int PARTITIONS = 6;

  /** A node is not taken for silent because a test is slow. */
  static final Duration IDLE = Duration.ofMinutes(2);

  static final String TOKEN = "0123456789abcdef0123456789abcdef";
  static final long START_MICROS = 1_795_200_000_000_000L;

  /** The topic's settings that a cluster needs. */
  static final Map<String, String> SETTINGS =
      Map.of("message.timestamp.type", "LogAppendTime", "retention.ms", "-1");

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final KafkaBroker broker;
  private final String topic;
  private final Path folder;
  private final Map<Integer, ClusterServer> servers = new TreeMap<>();
  private final Map<String, String> settings = new HashMap<>();
  private Optional<Duration> keepFor = Optional.empty();

  /** A new topic at a broker. */
  ClusterFixture(KafkaBroker broker, String topic, Path folder) throws Exception {
    this.broker = broker;
    this.topic = topic;
    this.folder = folder;
    broker.createTopic(topic, PARTITIONS, SETTINGS);
  }

  /** Starts a server whose data is in a folder of its number, or of {@code data}. */
  ClusterServer start(int number, String data) throws Exception {
    return start(number, data, AccessOptions.DEFAULT);
  }

  /** Starts a server, over https if it has a certificate. */
  ClusterServer start(int number, String data, AccessOptions access) throws Exception {
    int port = KafkaBroker.freePort();
    ServerConfig config =
        ServerConfig.in(folder.resolve(data)).port(port).idleTimeout(IDLE).access(access).build();
    ClusterServer server =
        ClusterServer.start(
            config,
            options(
                URI.create((access.tls().isPresent() ? "https" : "http") + "://127.0.0.1:" + port),
                Duration.ofSeconds(30)));
    servers.put(number, server);
    return server;
  }

  ClusterServer start(int number) throws Exception {
    return start(number, "server" + number);
  }

  private ClusterOptions options(URI advertised, Duration deadline) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("bootstrap.servers", broker.address());
    KafkaOptions kafka = KafkaOptions.of(all, topic);
    return new ClusterOptions(kafka, advertised, TOKEN, 1, deadline, keepFor);
  }

  ClusterServer server(int number) {
    return servers.get(number);
  }

  Collection<ClusterServer> servers() {
    return servers.values();
  }

  /** Removes all records of the topic, as its retention does. */
  void removeRecords() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        all.put(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(-1));
      }
      admin.deleteRecords(all).all().get();
    }
  }

  /** Gives servers that are started from now on a setting of Kafka's clients. */
  void set(String setting, String value) {
    settings.put(setting, value);
  }

  /** Sends a record to a partition of the topic. */
  void produce(int partition, byte[] key, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, partition, key, value)).get();
    }
  }

  /** Lets servers that are started from now on remove events of an age. */
  void keepFor(Duration age) {
    keepFor = Optional.of(age);
  }

  /** The folder of a partition's store. */
  Path store(int number, int partition) {
    return folder
        .resolve("server" + number + "/partitions/retroscope-" + topic)
        .resolve("0_" + partition + "/events");
  }

  /** The offsets in the stores of a server that is stopped. */
  Map<Integer, Long> storedOffsets(int number) {
    Map<Integer, Long> offsets = new TreeMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Path store = store(number, partition);
      try (EventStore open = EventStore.open(store, StoreOptions.DEFAULT, PhysicalClock.system())) {
        int own = partition;
        offsets.put(
            own,
            open.positions().values().stream().mapToLong(SourcePosition::next).max().orElse(0));
      }
    }
    return offsets;
  }

  void stop(int number) {
    closeQuietly(List.of(servers.remove(number)));
  }

  /** Servers that stop in good order must not log that anything is wrong. */
  private static void closeQuietly(Collection<ClusterServer> ending) {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger log = (Logger) LoggerFactory.getLogger("io.retroscope");
    log.addAppender(lines);
    ending.forEach(ClusterServer::close);
    log.detachAppender(lines);
    assertThat(lines.list)
        .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
  }

  /** Waits until all servers agree that each partition has an owner and a copy. */
  void awaitPlacement() {
    int copies = Math.min(1, servers.size() - 1);
    Awaitility.await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(100))
        .until(
            () ->
                servers.values().stream()
                    .allMatch(
                        server ->
                            server.cluster().trouble().isEmpty()
                                && server.cluster().instances().size() == servers.size()
                                && server.cluster().instances().stream()
                                        .mapToInt(one -> one.owned().size())
                                        .sum()
                                    == PARTITIONS
                                && server.cluster().instances().stream()
                                        .mapToInt(one -> one.copies().size())
                                        .sum()
                                    == copies * PARTITIONS));
  }

  /**
   * Blocks of replicas that apply the same versions, one of them late occasionally; each node has
   * two runs.
   *
   * @return the frames by node, each list in order
   */
  static Map<String, List<byte[]>> staleness(long seed, int nodes, int versions) {
    return staleness(seed, nodes, versions, "n");
  }

  /** The same of nodes with another prefix of their names. */
  static Map<String, List<byte[]>> staleness(long seed, int nodes, int versions, String prefix) {
    return staleness(seed, nodes, versions, prefix, START_MICROS);
  }

  /** The same from another time on. */
  static Map<String, List<byte[]>> staleness(
      long seed, int nodes, int versions, String prefix, long startMicros) {
    Random random = new Random(seed);
    Map<String, List<Event>> events = new LinkedHashMap<>();
    for (int node = 0; node < nodes; node++) {
      events.put(prefix + node, new ArrayList<>());
    }
    long micros = startMicros;
    for (int version = 1; version <= versions; version++) {
      for (String node : events.keySet()) {
        micros += 1 + random.nextInt(50);
        if (random.nextInt(3) > 0) {
          Change change = new Change(Operation.SET, "r1", Value.of(version));
          events
              .get(node)
              .add(
                  new Event(
                      node, "setd", HlcTimestamp.pack(micros), new StateChange(List.of(change))));
        }
      }
    }
    Map<String, List<byte[]>> frames = new LinkedHashMap<>();
    events.forEach((node, own) -> frames.put(node, blocks(own)));
    return frames;
  }

  private static List<byte[]> blocks(List<Event> events) {
    List<byte[]> blocks = new ArrayList<>();
    int half = events.size() / 2;
    addRun("a" + events.get(0).node(), events.subList(0, half), blocks);
    addRun("b" + events.get(0).node(), events.subList(half, events.size()), blocks);
    return blocks;
  }

  private static void addRun(String run, List<Event> events, List<byte[]> blocks) {
    int number = 1;
    for (int from = 0; from < events.size(); from += 20) {
      List<Event> some = events.subList(from, Math.min(events.size(), from + 20));
      EventBlockBuilder builder = new EventBlockBuilder().incarnation(run, number++);
      if (from == 0) {
        Event first = some.get(0);
        EventBody.Start start =
            new EventBody.Start(run, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
        builder.add(new Event(first.node(), "", first.hlc() - 1, start));
      }
      some.forEach(builder::add);
      long last = some.get(some.size() - 1).hlc();
      blocks.add(EventBlockCodec.encode(builder.promise(last, 0).build()));
    }
  }

  /** Sends frames in turns of the nodes, to the servers in turns, over HTTP. */
  void send(Map<String, List<byte[]>> frames) throws Exception {
    List<ClusterServer> targets = List.copyOf(servers.values());
    int turn = 0;
    for (List<byte[]> own : frames.values()) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      own.forEach(body::writeBytes);
      ClusterServer target = targets.get(turn++ % targets.size());
      HttpResponse<String> reply =
          post(target, "/v1/events", EventBlockCodec.CONTENT_TYPE, body.toByteArray());
      if (reply.statusCode() != 200) {
        throw new AssertionError(reply.body());
      }
    }
  }

  static HttpResponse<String> post(ClusterServer server, String path, String type, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve(path))
            .header("Content-Type", type)
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    return HTTP.send(request, BodyHandlers.ofString());
  }

  static HttpResponse<String> get(ClusterServer server, String path)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(server.uri().resolve(path)).build();
    return HTTP.send(request, BodyHandlers.ofString());
  }

  /** The rows and warnings of an answer. */
  static List<String> answer(QueryEngine engine, String rql) {
    List<String> lines = new ArrayList<>();
    engine.run(
        engine.prepare(rql),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {
            lines.add("columns " + columns);
          }

          @Override
          public boolean row(Row row) {
            return lines.add("row " + row);
          }

          @Override
          public void warning(String message) {
            lines.add("warning " + message);
          }
        });
    return lines;
  }

  @Override
  public void close() {
    closeQuietly(servers.values());
  }
}
