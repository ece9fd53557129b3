// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventBody.Stop;
import io.retroscope.event.LostBlocks;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTest {
  private static final long START = 1_795_200_000_000_000L;

  @TempDir Path folder;

  private final AtomicLong time = new AtomicLong(START);
  private final List<String> problems = new ArrayList<>();
  private Cluster cluster = new Cluster(Path.of("none"), PhysicalClock.system(), 0);

  private Cluster cluster() {
    return cluster(time::get, Recording.MAX_BYTES);
  }

  private Cluster cluster(PhysicalClock clock, long maxBytes) {
    cluster = new Cluster(folder.resolve("deep/er/test.ndjson"), clock, maxBytes);
    return cluster;
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void clock_ofANode_isOffAsTold_andDrifts() throws IOException {
    Recorder a = cluster().node("a", Duration.ofMillis(-80));
    Recorder b = cluster.node("b", Duration.ofMillis(40), 1_000);
    a.log("t").set("x", 1);
    b.log("t").set("x", 1);
    time.addAndGet(2_000_000);
    a.log("t").set("x", 2);
    b.log("t").set("x", 2);

    List<Event> changes =
        cluster.write(problems).stream()
            .filter(event -> event.body() instanceof StateChange)
            .toList();
    assertThat(changes)
        .extracting(event -> event.node() + " " + (event.physicalMicros() - START))
        .containsExactly("a -80000", "b 40000", "a 1920000", "b 2042000");
    assertThat(problems).isEmpty();
  }

  @Test
  void message_toANodeWhoseClockIsBehind_isReceivedAfterItWasSent() throws IOException {
    Recorder ahead = cluster().node("ahead", Duration.ofSeconds(1));
    Recorder behind = cluster.node("behind", Duration.ofSeconds(-1));
    long sent = ahead.send("behind", "m");
    behind.receive("ahead", "m", sent);

    Event receive =
        cluster.write(problems).stream()
            .filter(event -> event.body() instanceof Receive)
            .findFirst()
            .orElseThrow();
    assertThat(receive.hlc()).isGreaterThan(sent);
    assertThat(receive.physicalMicros()).isEqualTo(START - 1_000_000);
  }

  @Test
  void node_withWrongArguments_isRefused() {
    cluster().node("a");
    assertThatThrownBy(() -> cluster.node("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("there is a node \"a\" already");
    assertThatThrownBy(() -> cluster.node("b", Duration.ZERO, 500_001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("500000 ppm: 500001");
    assertThatThrownBy(() -> cluster.node("b", Duration.ZERO, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NaN");
    assertThatThrownBy(() -> cluster.node(" ".repeat(201)))
        .isInstanceOf(IllegalArgumentException.class);
    cluster.close();
    assertThatThrownBy(() -> cluster.node("c")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.server()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void nodes_areLimited() {
    cluster();
    for (int i = 0; i < Cluster.MAX_NODES; i++) {
      cluster.node("n" + i);
    }
    assertThatThrownBy(() -> cluster.node("one more"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("at most 64 nodes");
  }

  @Test
  void recording_beyondItsLimit_isAProblem() throws IOException {
    Recorder a = cluster(PhysicalClock.system(), 20_000).node("a");
    for (int i = 0; i < 2_000; i++) {
      a.log("t").set("x", i);
    }
    cluster.write(problems);

    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).matches("node a discarded events: \\d+ were more than one .*");
  }

  @Test
  void write_whileTheThreadIsInterrupted_writesEverything() throws IOException {
    cluster().node("a").log("t").set("x", 1);
    Thread.currentThread().interrupt();
    List<Event> events = cluster.write(problems);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(events).anyMatch(event -> event.body() instanceof StateChange);
    assertThat(problems).isEmpty();
  }

  @Test
  void heartbeats_ofALongTest_areFew_andTheLastIsKept() throws Exception {
    cluster(PhysicalClock.system(), Recording.MAX_BYTES).node("a").log("t").set("x", 1);
    Thread.sleep(700);
    List<Event> events = cluster.write(problems);

    long first = events.get(0).hlc() >> 12;
    long last = events.get(events.size() - 1).hlc() >> 12;
    assertThat(last - first).isGreaterThan(600_000);
    // The start, the change, the last heartbeat, and one for each quarter of a second.
    assertThat(events.size()).isLessThanOrEqualTo((int) (4 + (last - first) / 250_000));
  }

  /** A node in a process of its own. */
  public static final class Child {
    private Child() {}

    public static void main(String[] args) {
      try (Recorder recorder = Recorder.fromEnvironment()) {
        recorder.receive("parent", "go", Long.parseLong(args[0]));
        for (int i = 0; i < 1_000; i++) {
          recorder.log("t").line("line " + i, line -> line.with("length", args.length));
        }
      }
    }
  }

  @Test
  void server_takesTheEventsOfAnotherProcess_inTheOrderOfItsMessages() throws Exception {
    Recorder parent =
        cluster(PhysicalClock.system(), Recording.MAX_BYTES).node("parent", Duration.ofSeconds(5));
    long sent = parent.send("child", "go");
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            String.valueOf(sent));
    command.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    command.environment().put("RETROSCOPE_SERVER", cluster.server().toString());
    command.environment().put("RETROSCOPE_NODE", "child");
    Path output = folder.resolve("output");
    Process child = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      child.destroyForcibly();
    }
    assertThat(child.exitValue()).as(Files.readString(output)).isZero();

    List<Event> events = cluster.write(problems);
    assertThat(problems).isEmpty();
    List<Event> ofChild = events.stream().filter(event -> event.node().equals("child")).toList();
    assertThat(ofChild).filteredOn(event -> event.body() instanceof LogLine).hasSize(1_000);
    assertThat(ofChild).filteredOn(event -> event.body() instanceof Stop).hasSize(1);
    assertThat(ofChild)
        .filteredOn(event -> event.body() instanceof Receive)
        .allMatch(event -> event.hlc() > sent);
  }

  @Test
  void server_refusesWhatIsNoBlock_andTheTestLearnsOfIt() throws Exception {
    URI server = cluster().server();
    assertThat(post(server.resolve("/v1/events"), "no block")).isEqualTo(400);
    assertThat(post(server.resolve("/v1/query"), "SELECT")).isEqualTo(404);
    assertThat(cluster.server()).isEqualTo(server);
    cluster.write(problems);

    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).startsWith("events were refused: ");
  }

  @Test
  void server_takesABlockThatIsSentTwiceOnce_andALossIsAProblem() throws Exception {
    URI events = cluster().server().resolve("/v1/events");
    Event event = new Event("a", "t", HlcTimestamp.pack(START), new LogLine("x", Map.of()));
    byte[] block = EventBlockCodec.encode(EventBlock.of(List.of(event)));
    long hlc = HlcTimestamp.pack(START + 1);
    byte[] lost = EventBlockCodec.encode(new LostBlocks("a", "run", 2, 2, 17, hlc, hlc));
    assertThat(post(events, block)).isEqualTo(200);
    assertThat(post(events, block)).isEqualTo(200);
    assertThat(post(events, lost)).isEqualTo(200);

    assertThat(cluster.write(problems)).hasSize(1);
    assertThat(problems).containsExactly("node a lost 17 events");
    assertThat(Files.readString(cluster.file())).contains("\"lost\":{");
  }

  private static int post(URI address, String body) throws Exception {
    return post(address, body.getBytes(StandardCharsets.UTF_8));
  }

  private static int post(URI address, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(address).POST(BodyPublishers.ofByteArray(body)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }
}
