// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.broker.KafkaBrokerMain;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A broker and servers of a cluster, each in a process that ends with this one. */
final class ClusterChildren implements AutoCloseable {
  /** The file of receivers of alerts of all servers, if there is one. */
  static final String RECEIVERS = "receivers";

  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** Longer than a query waits for a partition. */
  private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(60);

  /** On a busy machine a process needs minutes, and the broker does not answer in time. */
  private static final Duration START_PATIENCE = Duration.ofMinutes(5);

  private static final Duration END_PATIENCE = Duration.ofSeconds(60);

  private static final int MAX_ATTEMPTS = 10;

  private final Path folder;
  private final String topic;
  private final int heapMegabytes;
  private final String brokers;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Integer, Child> running = new ConcurrentSkipListMap<>();
  private final Map<Integer, Child> paused = new TreeMap<>();
  private final Set<Integer> here = new TreeSet<>();
  private Optional<Process> broker = Optional.empty();
  private int started;

  /** A server, in a process of its own or in this one. */
  private record Child(Optional<Process> own, Optional<ClusterServer> here, URI uri) {
    Process process() {
      return own.orElseThrow();
    }
  }

  /** The program of a server: ends with its parent. */
  public static final class ServerMain {
    private ServerMain() {}

    /**
     * Runs a server until its standard input ends.
     *
     * @param args the data folder, the port, the broker, and the topic
     */
    public static void main(String[] args) throws IOException {
      FatalErrors.watchUncaught();
      ClusterServer server = join(Path.of(args[0]), Integer.parseInt(args[1]), args[2], args[3]);
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      System.exit(System.in.read());
    }

    /** On a busy machine the broker may not answer in time. */
    private static ClusterServer join(Path data, int port, String brokers, String topic) {
      KafkaOptions kafka = KafkaOptions.of(Map.of("bootstrap.servers", brokers), topic);
      for (int attempt = 1; ; attempt++) {
        try {
          return ClusterServer.start(
              ServerConfig.in(data)
                  .port(port)
                  .idleTimeout(ClusterFixture.IDLE)
                  .alerts(new AlertOptions(Optional.empty(), receivers(data)))
                  .build(),
              ClusterOptions.of(
                  kafka, URI.create("http://127.0.0.1:" + port), ClusterFixture.TOKEN));
        } catch (ServerException e) {
          if (attempt == MAX_ATTEMPTS) {
            throw e;
          }
        }
      }
    }
  }

  private static Optional<Path> receivers(Path data) {
    return Optional.of(data.resolveSibling(RECEIVERS)).filter(Files::exists);
  }

  /** The program of the broker: ends with its parent. */
  public static final class BrokerMain {
    private BrokerMain() {}

    /** Runs the broker, with the arguments of {@link KafkaBrokerMain}. */
    public static void main(String[] args) throws Exception {
      KafkaBrokerMain.main(args);
      Runtime.getRuntime().halt(System.in.read());
    }
  }

  /** Starts a broker with a topic. */
  ClusterChildren(Path folder, String topic) throws Exception {
    this(folder, topic, 256);
  }

  /** The same for servers with another heap. */
  ClusterChildren(Path folder, String topic, int heapMegabytes) throws Exception {
    this.folder = folder;
    this.topic = topic;
    this.heapMegabytes = heapMegabytes;
    brokers = "127.0.0.1:" + KafkaBroker.freePort();
    startBroker();
  }

  /** Uses the topic of a broker that runs elsewhere. */
  ClusterChildren(Path folder, String topic, KafkaBroker broker) throws Exception {
    this.folder = folder;
    this.topic = topic;
    this.heapMegabytes = 256;
    brokers = broker.address();
    broker.createTopic(topic, ClusterFixture.PARTITIONS, ClusterFixture.SETTINGS);
  }

  private Process brokerProcess() throws IOException {
    Files.deleteIfExists(folder.resolve("ready"));
    return java(
        "broker.log",
        384,
        BrokerMain.class,
        folder.resolve("broker").toString(),
        brokers.substring(brokers.indexOf(':') + 1),
        topic,
        Integer.toString(ClusterFixture.PARTITIONS),
        folder.resolve("ready").toString(),
        "log.message.timestamp.type=LogAppendTime",
        "log.retention.ms=-1");
  }

  private void awaitBroker() {
    await()
        .atMost(START_PATIENCE)
        .until(
            () -> {
              assertThat(broker.orElseThrow().isAlive()).as(log("broker.log")).isTrue();
              return Files.exists(folder.resolve("ready"));
            });
  }

  private Process java(String log, int heap, Class<?> main, String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve(log).toFile()))
        .start();
  }

  private String log(String name) {
    try {
      List<String> lines = Files.readAllLines(folder.resolve(name));
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    } catch (IOException e) {
      return "no log";
    }
  }

  String brokerAddress() {
    return brokers;
  }

  /** Starts a server with an empty folder; returns its number. */
  int start() throws Exception {
    start(started);
    return started - 1;
  }

  /** Starts a server with the folder of its number, in this process if it was there before. */
  void start(int number) throws Exception {
    if (here.contains(number)) {
      startHere(number);
      return;
    }
    started = Math.max(started, number + 1);
    int port = KafkaBroker.freePort();
    Process process =
        java(
            "server" + number + ".log",
            heapMegabytes,
            ServerMain.class,
            data(number).toString(),
            Integer.toString(port),
            brokerAddress(),
            topic);
    Child child =
        new Child(Optional.of(process), Optional.empty(), URI.create("http://127.0.0.1:" + port));
    running.put(number, child);
    await()
        .atMost(START_PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              assertThat(process.isAlive()).as(log("server" + number + ".log")).isTrue();
              return get(child, "/health/live").statusCode() == 200;
            });
  }

  /** Starts a server with an empty folder, in this process if another one was there. */
  void startLike(int number) throws Exception {
    if (here.contains(number)) {
      startHere();
    } else {
      int unused = start();
    }
  }

  /** Starts a server in this process, which is no victim of a signal. */
  void startHere() throws Exception {
    startHere(started++);
  }

  private void startHere(int number) throws Exception {
    here.add(number);
    ClusterServer server =
        ServerMain.join(data(number), KafkaBroker.freePort(), brokerAddress(), topic);
    running.put(number, new Child(Optional.empty(), Optional.of(server), server.uri()));
  }

  private Path data(int number) {
    return folder.resolve("data" + number);
  }

  /** The folder of the store of a partition. */
  Path store(int number, int partition) {
    return data(number)
        .resolve("partitions/retroscope-" + topic)
        .resolve("0_" + partition)
        .resolve("events");
  }

  /** The numbers of the servers that run and are not paused. */
  List<Integer> running() {
    return List.copyOf(running.keySet());
  }

  /** Those of them that have a process of their own. */
  List<Integer> victims() {
    return running.entrySet().stream()
        .filter(server -> server.getValue().own().isPresent())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Those to stop in good order: in this process if any are, where they start again sooner. */
  List<Integer> stoppable() {
    List<Integer> near = running().stream().filter(here::contains).toList();
    return near.isEmpty() ? running() : near;
  }

  boolean isAlive(int number) {
    return running.get(number).process().isAlive();
  }

  URI uri(int number) {
    return running.get(number).uri();
  }

  void kill(int number) throws Exception {
    end(running.remove(number).process().destroyForcibly());
  }

  /** Ends a server as an operator does. */
  void stop(int number) throws Exception {
    Child child = running.remove(number);
    child.here().ifPresent(ClusterServer::close);
    if (child.own().isPresent()) {
      child.process().destroy();
      end(child.process());
    }
  }

  private static void end(Process process) throws InterruptedException {
    assertThat(process.waitFor(END_PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  void pause(int number) throws Exception {
    Child child = running.remove(number);
    signal(child.process(), "STOP");
    paused.put(number, child);
  }

  void resume(int number) throws Exception {
    Child child = paused.remove(number);
    signal(child.process(), "CONT");
    running.put(number, child);
  }

  void killBroker() throws Exception {
    end(broker.orElseThrow().destroyForcibly());
  }

  void startBroker() throws Exception {
    broker = Optional.of(brokerProcess());
    awaitBroker();
  }

  void pauseBroker() throws Exception {
    signal(broker.orElseThrow(), "STOP");
  }

  void resumeBroker() throws Exception {
    signal(broker.orElseThrow(), "CONT");
  }

  private static void signal(Process process, String name) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  void deleteData(int number) throws IOException {
    Files.walkFileTree(
        data(number),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Sends a frame; whether it was acknowledged. */
  boolean send(int number, byte[] frame) {
    Child child = running.get(number);
    try {
      return child != null
          && post(child, "/v1/events", EventBlockCodec.CONTENT_TYPE, frame, REQUEST_TIMEOUT)
                  .statusCode()
              == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a query. */
  HttpResponse<String> ask(int number, String rql) throws IOException, InterruptedException {
    Child child = running.get(number);
    byte[] body = rql.getBytes(StandardCharsets.UTF_8);
    return post(child, "/v1/query", "application/rql", body, QUERY_TIMEOUT);
  }

  private HttpResponse<String> post(
      Child child, String path, String type, byte[] body, Duration timeout)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(child.uri().resolve(path))
            .header("Content-Type", type)
            .timeout(timeout)
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> get(Child child, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(child.uri().resolve(path)).timeout(REQUEST_TIMEOUT).build(),
        BodyHandlers.ofString());
  }

  /** Waits until all servers are ready and agree that each partition has an owner and a copy. */
  void awaitPlaced(Duration patience) {
    await()
        .atMost(patience)
        .pollInterval(Duration.ofMillis(300))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              for (Child child : running.values()) {
                if (get(child, "/health/ready").statusCode() != 200 || holders(child).isEmpty()) {
                  return false;
                }
              }
              return true;
            });
  }

  /** The watermark of the live queries of a server. */
  long watermark(int number) throws IOException, InterruptedException {
    StructValue answer =
        (StructValue) JsonValues.parse(get(running.get(number), "/v1/cluster").body());
    return HlcTimestamp.parse(((StringValue) answer.fields().get("watermark")).value());
  }

  /** The partitions of which each server that runs has a store, whether it is in use or not. */
  Map<Integer, Set<Integer>> stores() {
    Map<Integer, Set<Integer>> stores = new TreeMap<>();
    for (int number : running.keySet()) {
      Set<Integer> own = new TreeSet<>();
      for (int partition = 0; partition < ClusterFixture.PARTITIONS; partition++) {
        if (Files.exists(store(number, partition))) {
          own.add(partition);
        }
      }
      stores.put(number, own);
    }
    return stores;
  }

  /** The servers of each partition, owner first, as one that runs knows them. */
  Map<Integer, List<Integer>> holders() throws Exception {
    return holders(running.values().iterator().next());
  }

  /** Waits until owner and copy of each partition have the same offset; returns both. */
  Map<Integer, List<Integer>> awaitSettled(Duration patience) throws Exception {
    awaitPlaced(patience);
    await()
        .atMost(patience)
        .pollInterval(Duration.ofMillis(300))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              Map<Integer, List<Integer>> holders = holders();
              for (Map.Entry<Integer, List<Integer>> partition : holders.entrySet()) {
                long first = offset(partition.getValue().get(0), partition.getKey());
                for (int server : partition.getValue()) {
                  if (first < 0 || offset(server, partition.getKey()) != first) {
                    return false;
                  }
                }
              }
              return !holders.isEmpty();
            });
    return holders();
  }

  /** The servers of each partition, owner first; empty unless each has an owner and all copies. */
  private Map<Integer, List<Integer>> holders(Child asked) throws Exception {
    Map<Integer, List<Integer>> holders = new TreeMap<>();
    StructValue answer = (StructValue) JsonValues.parse(get(asked, "/v1/cluster").body());
    for (String role : List.of("owned", "copies")) {
      for (Value entry : elements(answer.fields().get("servers"))) {
        StructValue server = (StructValue) entry;
        String address = ((StringValue) server.fields().get("address")).value();
        for (Map.Entry<Integer, Child> child : running.entrySet()) {
          if (address.endsWith(":" + child.getValue().uri().getPort())) {
            for (Value partition : elements(server.fields().get(role))) {
              holders
                  .computeIfAbsent((int) ((LongValue) partition).value(), p -> new ArrayList<>())
                  .add(child.getKey());
            }
          }
        }
      }
    }
    int each = Math.min(2, running.size());
    boolean complete =
        holders.size() == ClusterFixture.PARTITIONS
            && holders.values().stream().allMatch(servers -> servers.size() == each);
    return complete ? holders : Map.of();
  }

  /** The offset after the last record of a partition that a server has stored; negative if none. */
  long offset(int number, int partition) throws Exception {
    StructValue answer =
        (StructValue) JsonValues.parse(get(running.get(number), "/v1/cluster").body());
    Value offset =
        ((StructValue) answer.fields().get("offsetsHere"))
            .fields()
            .get(Integer.toString(partition));
    return offset instanceof LongValue stored ? stored.value() : -1;
  }

  /** A list of JSON is read as a set. */
  private static Collection<Value> elements(@Nullable Value list) {
    return list instanceof SetValue set ? set.elements() : List.of();
  }

  @Override
  public void close() {
    running.values().forEach(child -> child.here().ifPresent(ClusterServer::close));
    running.values().forEach(child -> child.own().ifPresent(Process::destroyForcibly));
    paused.values().forEach(child -> child.process().destroyForcibly());
    broker.ifPresent(Process::destroyForcibly);
  }
}
