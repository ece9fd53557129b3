// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test of three servers in processes of their own, of which some are killed, stopped for a while,
 * or lose their data, while events arrive and queries run.
 */
@Timeout(1_800)
class ClusterFaultTest {
  private static final int SERVERS = 3;
  private static final String TOPIC = "faults";
  private static final String QUESTION =
      "SELECT r1, SPREAD(r1) AS s FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 2)";

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  private final Random random = new Random(seed);
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Integer, Child> children = new TreeMap<>();
  @TempDir Path folder;

  /** The program of a server: prints its address, and ends with its parent. */
  public static final class Main {
    private Main() {}

    /**
     * Starts a server.
     *
     * @param args the data folder, the port, and the broker
     */
    public static void main(String[] args) throws IOException {
      PrintStream address = System.out;
      System.setOut(System.err);
      int port = Integer.parseInt(args[1]);
      KafkaOptions kafka = KafkaOptions.of(Map.of("bootstrap.servers", args[2]), TOPIC);
      URI advertised = URI.create("http://127.0.0.1:" + port);
      FatalErrors.watchUncaught();
      ClusterServer server =
          ClusterServer.start(
              ServerConfig.in(Path.of(args[0])).port(port).build(),
              ClusterOptions.of(kafka, advertised, ClusterFixture.TOKEN));
      address.println(server.uri());
      System.exit(System.in.read());
    }
  }

  private record Child(Process process, URI uri) {
    void signal(String name) throws Exception {
      assertThat(
              new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                  .start()
                  .waitFor())
          .isZero();
    }
  }

  private void start(int number, KafkaBroker broker) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                data(number).toString(),
                Integer.toString(ClusterFixture.freePort()),
                broker.address())
            .redirectError(folder.resolve("log" + number).toFile())
            .start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String address = out.readLine();
    assertThat(address)
        .as(
            "seed %d, server %d: %s",
            seed, number, Files.readString(folder.resolve("log" + number)))
        .isNotNull();
    children.put(number, new Child(process, URI.create(address)));
  }

  private Path data(int number) {
    return folder.resolve("data" + number);
  }

  private void kill(int number) throws Exception {
    Process process = children.remove(number).process();
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Tag("slow")
  @Test
  void events_oneServerIsKilledDuringAQuery_areAllStoredOnceAndAnswered() throws Exception {
    run(List.of("kill"));
  }

  @Tag("slow")
  @Test
  void events_manyFaults_areAllStoredOnceAndAnswered() throws Exception {
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < Integer.getInteger("retroscope.faults", 20); i++) {
      faults.add(List.of("kill", "pause", "empty").get(random.nextInt(3)));
    }
    run(faults);
  }

  private void run(List<String> faults) throws Exception {
    Deque<Map<String, List<byte[]>>> batches = new ArrayDeque<>();
    for (int i = 0; i <= faults.size(); i++) {
      batches.add(ClusterFixture.staleness(seed + i, 5, 60, "b" + i + "n"));
    }
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"));
        EventStore store =
            EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system())) {
      broker.createTopic(TOPIC, ClusterFixture.PARTITIONS, ClusterFixture.SETTINGS);
      for (int number = 0; number < SERVERS; number++) {
        start(number, broker);
      }
      awaitReady();
      send(batches.remove(), store);
      for (String fault : faults) {
        inject(fault, broker, batches.remove(), store);
      }
      assertAnswers(store, "at the end");
    } finally {
      children.values().forEach(child -> child.process().destroyForcibly());
    }
  }

  /** A fault of one server, while another one is sent events and answers. */
  private void inject(
      String fault, KafkaBroker broker, Map<String, List<byte[]>> events, EventStore store)
      throws Exception {
    int victim = random.nextInt(SERVERS);
    Child failing = children.get(victim);
    if (fault.equals("pause")) {
      failing.signal("STOP");
    } else {
      kill(victim);
    }
    Child paused = children.remove(victim);
    send(events, store);
    assertAnswers(store, fault + " of " + victim);
    if (paused != null) {
      paused.signal("CONT");
      children.put(victim, paused);
    } else {
      if (fault.equals("empty")) {
        delete(data(victim));
      }
      start(victim, broker);
    }
    awaitReady();
    assertAnswers(store, "after " + fault + " of " + victim);
  }

  private void awaitReady() {
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(300))
        .until(
            () -> {
              for (Child child : children.values()) {
                if (get(child, "/health/ready").statusCode() != 200
                    || !get(child, "/v1/cluster").body().contains(":" + child.uri().getPort())) {
                  return false;
                }
              }
              return true;
            });
  }

  private HttpResponse<String> get(Child child, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(child.uri().resolve(path)).timeout(Duration.ofSeconds(10)).build(),
        BodyHandlers.ofString());
  }

  /** Sends each frame twice, to any servers: an acknowledged one is stored once. */
  private void send(Map<String, List<byte[]>> frames, EventStore store) throws Exception {
    List<Child> targets = List.copyOf(children.values());
    List<EncodedFrame> encoded = new ArrayList<>();
    for (List<byte[]> own : frames.values()) {
      for (byte[] frame : own) {
        encoded.add(new EncodedFrame(EventBlockCodec.decodeBlock(frame), frame));
        for (int i = 0; i < 2; i++) {
          Child target = targets.get(random.nextInt(targets.size()));
          HttpResponse<String> reply =
              post(target, "/v1/events", EventBlockCodec.CONTENT_TYPE, frame);
          assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        }
      }
    }
    Receipt unused = store.append(new Submission.Frames(encoded)).join();
  }

  private HttpResponse<String> post(Child child, String path, String type, byte[] body)
      throws Exception {
    return http.send(
        HttpRequest.newBuilder(child.uri().resolve(path))
            .header("Content-Type", type)
            .timeout(Duration.ofSeconds(60))
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** Every server that runs has the rows of one store. */
  private void assertAnswers(EventStore store, String when) throws Exception {
    QueryEngine embedded =
        new QueryEngine(() -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    List<String> expected = rowsOf(embedded);
    assertThat(expected).isNotEmpty();
    for (Child child : children.values()) {
      HttpResponse<String> reply =
          post(child, "/v1/query", "application/rql", QUESTION.getBytes(StandardCharsets.UTF_8));
      assertThat(reply.body().lines().filter(line -> line.startsWith("{\"hlc\"")).toList())
          .as("seed %d, %s, server %s: %s", seed, when, child.uri(), reply.body())
          .isEqualTo(expected);
      assertThat(reply.body()).doesNotContain("{\"problem\"");
    }
  }

  private static List<String> rowsOf(QueryEngine engine) {
    List<String> rows = new ArrayList<>();
    engine.run(
        engine.prepare(QUESTION),
        new RowSink() {
          private List<Column> columns = List.of();

          @Override
          public void columns(List<Column> named) {
            columns = named;
          }

          @Override
          public boolean row(Row row) {
            return rows.add(RowJson.text(columns, row));
          }

          @Override
          public void warning(String message) {}
        });
    return rows;
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
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
}
