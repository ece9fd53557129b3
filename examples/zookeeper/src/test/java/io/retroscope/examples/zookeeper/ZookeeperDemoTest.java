// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.stage.DemoOptions;
import io.retroscope.examples.zookeeper.ZookeeperDemo.Transport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ZookeeperDemoTest {
  private static final long SEED = 20261121;

  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_fewSeconds_findsStaleReplicasLiveAndInThePastAlike() throws Exception {
    checkRun(Transport.HTTP, 4);
  }

  @Test
  @Tag("slow")
  void run_twentySeconds_findsStaleReplicasLiveAndInThePastAlike() throws Exception {
    checkRun(Transport.HTTP, DemoOptions.DEFAULT_SECONDS);
  }

  @Test
  @Tag("slow")
  void run_overKafka_findsStaleReplicasLiveAndInThePastAlike() throws Exception {
    checkRun(Transport.KAFKA, 6);
  }

  private void checkRun(Transport transport, int seconds) throws Exception {
    int exitCode = demo(new DemoOptions(seconds, out, false, false, 0, false), transport).run();

    assertThat(complaints.toString()).isEmpty();
    assertThat(exitCode).isZero();
    assertThat(printed.toString())
        .contains("behind by 2")
        .contains("The same query over the stored events returns the same")
        .containsPattern("Events +zk1 \\d+.* zk2 .* zk3 ")
        .containsPattern("Stalest +\\d+ versions")
        .contains("It holds: no server applied a version before it was proposed")
        .containsPattern(
            "It holds: the rows of each level have their notes: 2 versions [1-9]\\d* of ");
    assertThat(excerpt())
        .isNotEmpty()
        .allSatisfy(line -> assertThat(printed.toString()).containsPattern(shape(line)));
    assertThat(printed.toString().contains("  broker      127.0.0.1:"))
        .isEqualTo(transport == Transport.KAFKA);
    assertThat(Files.size(out.resolve("staleness.mid"))).isPositive();
    assertThat(loudness(out.resolve("single-pitch.wav"))).isGreaterThan(100);
    assertThat(loudness(out.resolve("staleness.wav"))).isGreaterThan(100);
    assertThat(loudness(out.resolve("levels.wav"))).isGreaterThan(100);
    assertThat(Files.readString(out.resolve("events.ndjson")))
        .contains("\"log\":\"setd\"")
        .contains("\"log\":\"proposal\"");
    assertNothingRuns();
  }

  /** The lines of the output that the front page shows. */
  private static List<String> excerpt() throws IOException {
    String page = Files.readString(Path.of("../../README.md"));
    String start = "```\nAsking, live";
    assertThat(page).contains(start);
    int from = page.indexOf(start) + "```\n".length();
    return page.substring(from, page.indexOf("\n```", from))
        .lines()
        .filter(line -> !line.isBlank() && !line.equals("..."))
        .toList();
  }

  /** A pattern of lines that differ from a line in their numbers and in the width of gaps only. */
  private static String shape(String line) {
    return "(?m)^"
        + Pattern.quote(line)
            .replaceAll("\\d+", "\\\\E\\\\d+\\\\Q")
            .replaceAll(" +", "\\\\E +\\\\Q")
        + "$";
  }

  @Test
  void run_portTaken_saysSoAndLeavesNothing() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int exitCode =
          demo(new DemoOptions(5, out, false, true, taken.getLocalPort(), false), Transport.HTTP)
              .run();

      assertThat(exitCode).isEqualTo(1);
      assertThat(complaints.toString())
          .startsWith("demo failed: the log server does not start: ")
          .contains(Integer.toString(taken.getLocalPort()))
          .hasLineCount(1);
    }
    assertNothingRuns();
  }

  @Test
  @Tag("slow")
  void run_interrupted_endsAllServers() throws Exception {
    checkInterrupted(Transport.HTTP);
  }

  @Test
  @Tag("slow")
  void run_interruptedOverKafka_endsAllServersAndTheBroker() throws Exception {
    checkInterrupted(Transport.KAFKA);
  }

  private void checkInterrupted(Transport transport) throws Exception {
    Thread thread =
        new Thread(demo(new DemoOptions(60, out, false, false, 0, false), transport)::run);
    thread.start();
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> printed.toString().contains("Asking, live"));
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(30));

    assertThat(thread.isAlive()).isFalse();
    assertThat(complaints.toString())
        .isEqualTo("demo failed: interrupted" + System.lineSeparator());
    assertNothingRuns();
  }

  private ZookeeperDemo demo(DemoOptions options, Transport transport) {
    return new ZookeeperDemo(
        options,
        transport,
        true,
        new PrintWriter(printed, true),
        new PrintWriter(complaints, true),
        new Random(SEED));
  }

  private static void assertNothingRuns() {
    assertThat(
            ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::info))
        .isEmpty();
  }

  private static double loudness(Path wav) throws Exception {
    try (AudioInputStream sound = AudioSystem.getAudioInputStream(wav.toFile())) {
      return rootMeanSquare(sound);
    }
  }

  private static double rootMeanSquare(AudioInputStream sound) throws IOException {
    byte[] bytes = sound.readAllBytes();
    double sum = 0;
    for (int i = 0; i + 1 < bytes.length; i += 2) {
      double sample = (short) ((bytes[i] & 0xff) | (bytes[i + 1] << 8));
      sum += sample * sample;
    }
    return Math.sqrt(sum / (bytes.length / 2.0));
  }
}
