// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One server of a cluster in a process of its own, which ends with this one. */
final class ClusterProcess implements AutoCloseable {
  static final String TOKEN = "0123456789abcdef0123456789abcdef";

  /** The settings of a topic of a cluster. */
  static final Map<String, String> TOPIC_SETTINGS =
      Map.of(
          "message.timestamp.type", "LogAppendTime",
          "retention.ms", "-1",
          "max.message.bytes", Integer.toString(16 << 20));

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int MAX_ATTEMPTS = 10;

  private final Path data;
  private final String topic;
  private final URI uri;
  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();

  private ClusterProcess(Path data, String topic, URI uri, Process process) {
    this.data = data;
    this.topic = topic;
    this.uri = uri;
    this.process = process;
  }

  /** Starts a server; it is not ready yet. */
  static ClusterProcess start(Path data, String brokers, String topic) throws IOException {
    int port = freePort();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx768m",
                "-cp",
                System.getProperty("java.class.path"),
                ClusterProcess.class.getName(),
                data.toString(),
                Integer.toString(port),
                brokers,
                topic)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new ClusterProcess(data, topic, URI.create("http://127.0.0.1:" + port), process);
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The options of a server at a port. */
  static ClusterOptions options(String brokers, String topic, int port, int copies) {
    return new ClusterOptions(
        KafkaOptions.of(Map.of("bootstrap.servers", brokers), topic),
        URI.create("http://127.0.0.1:" + port),
        TOKEN,
        copies,
        ClusterOptions.DEADLINE,
        Optional.empty());
  }

  /** The program of the process: takes the directory, the port, the brokers and the topic. */
  public static void main(String[] args) throws IOException {
    ClusterServer server = join(Path.of(args[0]), Integer.parseInt(args[1]), args[2], args[3]);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.exit(System.in.read());
  }

  /** On a busy machine the broker may not answer in time. */
  private static ClusterServer join(Path data, int port, String brokers, String topic) {
    for (int attempt = 1; ; attempt++) {
      try {
        return ClusterServer.start(
            ServerConfig.in(data).port(port).build(), options(brokers, topic, port, 1));
      } catch (ServerException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  URI uri() {
    return uri;
  }

  /** The CPU time that the server has used so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Ends it as a crash does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends it as an operator does. */
  void stop() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }

  /** The partitions of which it has a store, whether in use or not. */
  Set<Integer> folders() throws IOException {
    Path tasks = data.resolve("partitions/retroscope-" + topic);
    try (Stream<Path> folders = Files.list(tasks)) {
      Set<Integer> numbers = new TreeSet<>();
      folders
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.startsWith("0_"))
          .forEach(name -> numbers.add(Integer.parseInt(name.substring(2))));
      return numbers;
    }
  }

  /** The offset after the last stored record of each partition here. */
  Map<Integer, Long> offsets() throws IOException, InterruptedException {
    Map<Integer, Long> offsets = new TreeMap<>();
    if (answer().fields().get("offsetsHere") instanceof StructValue here) {
      here.fields()
          .forEach(
              (partition, offset) ->
                  offsets.put(Integer.parseInt(partition), ((LongValue) offset).value()));
    }
    return offsets;
  }

  /** The partitions that a server owns, or has copies of, as this one knows it. */
  Set<Integer> partitions(ClusterProcess other, String role)
      throws IOException, InterruptedException {
    Set<Integer> numbers = new TreeSet<>();
    for (Value entry : elements(answer().fields().get("servers"))) {
      StructValue server = (StructValue) entry;
      if (server.fields().get("address") instanceof StringValue address
          && address.value().endsWith(":" + other.uri.getPort())) {
        elements(server.fields().get(role))
            .forEach(partition -> numbers.add((int) ((LongValue) partition).value()));
      }
    }
    return numbers;
  }

  private StructValue answer() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri.resolve("/v1/cluster")).timeout(Duration.ofSeconds(10)).build();
    return (StructValue) JsonValues.parse(http.send(request, BodyHandlers.ofString()).body());
  }

  private static Collection<Value> elements(@Nullable Value list) {
    return list instanceof SetValue set ? set.elements() : List.of();
  }

  /** Waits until each partition has an owner and a copy, as all servers know, with open stores. */
  static void awaitPlaced(Collection<ClusterProcess> servers, int partitionCount)
      throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!isPlaced(servers, partitionCount)) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("the partitions were not distributed");
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private static boolean isPlaced(Collection<ClusterProcess> servers, int partitionCount)
      throws InterruptedException {
    for (ClusterProcess asked : servers) {
      List<Integer> owned = new ArrayList<>();
      List<Integer> copies = new ArrayList<>();
      try {
        for (ClusterProcess server : servers) {
          Set<Integer> own = asked.partitions(server, "owned");
          if (own.isEmpty()) {
            return false;
          }
          owned.addAll(own);
          copies.addAll(asked.partitions(server, "copies"));
        }
        Set<Integer> here = asked.partitions(asked, "owned");
        here.addAll(asked.partitions(asked, "copies"));
        if (!asked.offsets().keySet().containsAll(here)) {
          return false;
        }
      } catch (IOException e) {
        return false;
      }
      if (owned.size() != partitionCount || copies.size() != partitionCount) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
