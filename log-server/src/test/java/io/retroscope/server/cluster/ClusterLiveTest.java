// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of live queries at three servers that share a topic, against those of a single server. */
@Timeout(900)
class ClusterLiveTest {
  /** Shows times, which depend on the clocks. */
  private static final String TIMED =
      "SELECT STREAM x, WallTime() AS w FROM skewed WHEN SPREAD(x) >= 1";

  private static final int TURNS = 10;
  private static final int TURN_MESSAGES = 60;
  private static final int TURN_CHANGES = 50;

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  /** The server that is asked stops in the middle: the stream continues at another one. */
  @Tag("slow")
  @Test
  void stream_resumedAtAnotherServer_hasTheRowsOfASingleServer() throws Exception {
    LiveFrames frames = new LiveFrames(seed, 7, 400);
    int part = frames.turns().size() / 3;
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"));
        ClusterFixture cluster = new ClusterFixture(broker, "live", folder)) {
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      List<URI> all =
          List.of(cluster.server(1).uri(), cluster.server(2).uri(), cluster.server(3).uri());
      // A place is comparable with what another server knows if that one ran for long enough.
      Thread.sleep(ArrivalTimes.MARGIN_MILLIS);
      try (LiveComparison live =
          new LiveComparison("seed " + seed, folder.resolve("single"), frames, all)) {
        send(frames.turns().subList(0, part), live, all);
        live.awaitSameRows();
        cluster.stop(1);
        List<URI> rest = all.subList(1, 3);
        live.resume(rest.get(0));
        send(frames.turns().subList(part, 2 * part), live, rest);
        live.awaitSameRows();
        cluster.stop(3);
        send(frames.turns().subList(2 * part, frames.turns().size()), live, rest.subList(0, 1));
        live.awaitWatermark(frames.endHlc(), rest.get(0));
        live.awaitSameRows();
        live.assertNothingElse();
      }
    }
  }

  /** Messages between nodes with wrong clocks arrive in a stream, whose rows have aligned times. */
  @Tag("slow")
  @Test
  void stream_overAlignedClocks_hasTheRowsOfASingleServerAndTrueTimes() throws Exception {
    SkewedNodes nodes = new SkewedNodes(seed);
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"));
        ClusterFixture cluster = new ClusterFixture(broker, "clocks", folder)) {
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      List<URI> all =
          List.of(cluster.server(1).uri(), cluster.server(2).uri(), cluster.server(3).uri());
      long begin = nodes.firstHlc() - 1;
      LiveComparison.First first = new LiveComparison.First(nodes.promises(begin), begin);
      try (LiveComparison live =
          new LiveComparison("seed " + seed, folder.resolve("single"), TIMED, first, all)) {
        for (int turn = 0; turn < TURNS; turn++) {
          nodes.exchange(TURN_MESSAGES);
          live.send(nodes.next(), all);
        }
        live.awaitSameRowsBesidesTimes();
        awaitAligned(nodes, cluster.server(1));
        long exchanged = nodes.lastHlc();
        nodes.change(TURN_CHANGES);
        live.send(nodes.next(), all);
        live.send(nodes.promises(nodes.lastHlc() + 1), all);
        live.awaitWatermark(nodes.lastHlc() + 1, all.get(0));
        live.awaitSameRowsBesidesTimes();
        live.assertTrueTimes(exchanged, nodes);
        live.assertNothingElse();
      }
    }
  }

  /** Waits until live rows at a server use all evidence. */
  private static void awaitAligned(SkewedNodes nodes, ClusterServer server) {
    ClockOffsets expected = ClockAlignment.of(nodes.events());
    long end = nodes.lastHlc();
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              ClockOffsets found = server.cluster().clocks();
              assertThat(found.referenceNode()).isEqualTo(expected.referenceNode());
              for (String node : SkewedNodes.offsetsMicros().keySet()) {
                Offset wanted = expected.offset(node, end).orElseThrow();
                Offset offset = found.offset(node, end).orElseThrow();
                assertThat(offset.estimateMicros())
                    .as(node)
                    .isCloseTo(wanted.estimateMicros(), within(TimedAnswer.ROUNDING_MICROS));
              }
            });
  }

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
      KafkaOptions kafka = KafkaOptions.of(Map.of("bootstrap.servers", args[2]), "killed");
      ServerConfig config =
          ServerConfig.in(Path.of(args[0])).port(port).idleTimeout(ClusterFixture.IDLE).build();
      URI advertised = URI.create("http://127.0.0.1:" + port);
      address.println(
          ClusterServer.start(config, ClusterOptions.of(kafka, advertised, ClusterFixture.TOKEN))
              .uri());
      System.exit(System.in.read());
    }
  }

  /** A server in a process of its own. */
  private record Child(Process process, URI uri) {
    static Child start(Path data, KafkaBroker broker) throws Exception {
      Path log = Path.of(data + ".log");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UnlockDiagnosticVMOptions",
                  "-XX:-BytecodeVerificationRemote",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  data.toString(),
                  Integer.toString(KafkaBroker.freePort()),
                  broker.address())
              .redirectError(log.toFile())
              .start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String address = out.readLine();
      assertThat(address).as(Files.readString(log)).isNotNull();
      return new Child(process, URI.create(address));
    }
  }

  /**
   * A server is killed: the rows wait for its partitions, say so, and continue. So is the one that
   * sends them: the stream is resumed at the last one.
   */
  @Tag("slow")
  @Test
  void stream_anOwnerAndTheServerOfTheStreamAreKilled_hasTheRowsOfASingleServer() throws Exception {
    LiveFrames frames = new LiveFrames(seed, 7, 300);
    int part = frames.turns().size() / 3;
    List<Child> children = new ArrayList<>();
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic("killed", ClusterFixture.PARTITIONS, ClusterFixture.SETTINGS);
      for (int i = 0; i < 3; i++) {
        children.add(Child.start(folder.resolve("data" + i), broker));
      }
      List<URI> all = children.stream().map(Child::uri).toList();
      all.forEach(ClusterLiveTest::awaitPlacement);
      try (LiveComparison live =
          new LiveComparison("seed " + seed, folder.resolve("single"), frames, all)) {
        send(frames.turns().subList(0, part), live, all);
        live.awaitSameRows();
        children.get(2).process().destroyForcibly().waitFor();
        List<URI> rest = all.subList(0, 2);
        send(frames.turns().subList(part, 2 * part), live, rest);
        live.awaitSameRows();
        await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(
                () ->
                    assertThat(live.notices())
                        .as("seed %d", seed)
                        .anyMatch(line -> line.contains("is not read to its end: " + all.get(2)))
                        .last()
                        .asString()
                        .contains("up to date again"));
        children.get(0).process().destroyForcibly().waitFor();
        URI last = rest.get(1);
        live.resume(last);
        send(frames.turns().subList(2 * part, frames.turns().size()), live, List.of(last));
        live.awaitWatermark(frames.endHlc(), last);
        live.awaitSameRows();
        live.assertNothingElse();
      }
    } finally {
      children.forEach(child -> child.process().destroyForcibly());
    }
  }

  /** Each server has two partitions and two copies. */
  private static void awaitPlacement(URI server) {
    HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/cluster")).build();
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(300))
        .untilAsserted(
            () -> {
              String found =
                  HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
              assertThat(found.split("\"owned\":\\[\\d,\\d],\"copies\":\\[\\d,\\d]", -1))
                  .hasSize(4);
            });
  }

  private static void send(List<List<byte[]>> turns, LiveComparison live, List<URI> servers)
      throws Exception {
    for (List<byte[]> turn : turns) {
      live.send(turn, servers);
    }
  }
}
