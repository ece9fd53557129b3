// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LatencyTesterTest {
  @Test
  void handshake_sameTokenAndSize_isAccepted() throws Exception {
    assertThat(handshake(options("a secret token", 1024), options("a secret token", 1024)))
        .isEqualTo("accepted");
  }

  @Test
  void handshake_otherToken_isRefused() throws Exception {
    assertThat(handshake(options("a secret token", 1024), options("another token", 1024)))
        .contains("another token was refused");
  }

  @Test
  void handshake_otherSize_isRefused() throws Exception {
    assertThat(handshake(options("a secret token", 1024), options("a secret token", 512)))
        .contains("frames of 512 bytes instead of 1024");
  }

  @Test
  void rounds_threeAnswers_giveBestMajorityAndAll() {
    Rounds rounds = new Rounds(3);
    assertThat(rounds.answered(7, false, 300)).isEmpty();
    assertThat(rounds.answered(8, true, 20)).isEmpty();
    assertThat(rounds.answered(7, true, 10)).isEmpty();
    assertThat(rounds.answered(7, false, 200)).contains(new Rounds.Round(7, 200, 10, 200, 300));
    assertThat(rounds.answered(7, false, 1)).as("one answer too many").isEmpty();
  }

  @Test
  void box_ofAHundredValues_hasItsQuartiles() {
    Latencies latencies = new Latencies(new Periods());
    for (int i = 1; i <= 100; i++) {
      latencies.add(i * 1_000L, i * 1_000_000L);
    }
    Latencies.Box box = latencies.box();
    assertThat(box.min()).isEqualTo(1_000);
    assertThat(box.max()).isEqualTo(100_000);
    assertThat((double) box.median()).isBetween(49_000.0, 51_000.0);
    assertThat((double) box.quarter()).isBetween(24_500.0, 25_500.0);
    assertThat(latencies.means()).startsWith(1_000.0, 2_000.0).hasSize(100);
    assertThat(Arrays.stream(latencies.bins()).sum()).isEqualTo(100);
    assertThat(latencies.bins()[20]).as("1 to 1.26 ms").isOne();
  }

  @Test
  void means_moreThanTheirMaximum_haveALongerPeriod() {
    Periods periods = new Periods();
    Means means = new Means(periods);
    for (int second = 0; second < 3 * Periods.MAX_COUNT; second++) {
      means.add(second, second * 1_000_000L);
    }
    assertThat(periods.micros()).isEqualTo(4_000_000);
    assertThat(means.values()).hasSize(3 * Periods.MAX_COUNT / 4).startsWith(1.5, 5.5);
  }

  @Test
  void means_ofSeveralRows_haveThePeriodsOfTheFirst() {
    Periods periods = new Periods();
    Means early = new Means(periods);
    Means late = new Means(periods);
    early.add(1, 0);
    late.add(2, 3_500_000);
    early.add(3, 4_000_000);
    assertThat(late.values()).containsExactly(Double.NaN, Double.NaN, Double.NaN, 2.0);
    early.add(5, Periods.MAX_COUNT * 1_000_000L);
    assertThat(late.values()).as("of two seconds").containsExactly(Double.NaN, 2.0);
  }

  @Test
  void report_overSeconds_hasFiguresOfTimeAndZones(@TempDir Path folder) throws Exception {
    LatencyReport report = new LatencyReport("l1", Map.of("l1", "near", "l2", "far"));
    Frame answer = new Frame(1, 0, 0, 0, 0);
    report.pair("l2", 1_000, answer, 0);
    report.pair("l2", 3_000, answer, 900_000);
    report.write(folder);
    assertThat(folder.resolve("latency-l1-means.svg")).doesNotExist();

    report.pair("l2", 100_000, answer, 2_000_000);
    report.pair("l1", 100, answer, 3_000_000);
    report.write(folder);
    assertThat(folder.resolve("latency-l1.txt"))
        .content()
        .containsPattern("l1-l1 +means of 1 s: - - - 100\n")
        .contains("zone near-far ", "means of 1 s: 2000 - 100000\n")
        .doesNotContain("zone near-near");
    assertThat(folder.resolve("latency-l1-means.svg"))
        .content()
        // 2 ms and 100 ms, of 50 points a decade above 10 µs, from the bottom at 320; a gap between
        .contains("d='M60.0 204.9h0M460.0 120.0h0'", ">l1-l2</text>", ">3 s</text>");
    assertThat(folder.resolve("latency-l1-histogram.svg"))
        .content()
        .contains(">zone near-far</text>", "<rect x='330' y='160.0' width='9' height='44.0'");
    assertThat(folder.resolve("latency-l1-distribution.svg"))
        .content()
        .contains(" 260,320.0 270,220.0", " 470,20.0 ", ">majority</text>");
  }

  @Test
  void frame_shorterThanItsSize_isTheEnd() {
    assertThatThrownBy(() -> Frame.read(InputStream.nullInputStream(), 64))
        .isInstanceOf(EOFException.class);
  }

  @Test
  void options_outOfRange_areRefusedWithTheRange() {
    assertThatThrownBy(() -> options("short", 1024)).hasMessageContaining("at least 8 characters");
    assertThatThrownBy(() -> options("a secret token", 63)).hasMessageContaining("64 to 1048576");
    assertThatThrownBy(() -> options("a secret token", 1024, Map.of("l9", "far")))
        .hasMessageContaining("\"l9\" has a zone, but is neither this node nor a peer");
  }

  private static String handshake(LatencyOptions listening, LatencyOptions connecting)
      throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      CompletableFuture<String> result =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  Handshake.accept(accepted, listening);
                  return "accepted";
                } catch (IOException e) {
                  return e.getMessage();
                }
              });
      Handshake.prove(client, connecting);
      return result.get(60, TimeUnit.SECONDS);
    }
  }

  private static LatencyOptions options(String token, int frameBytes) {
    return options(token, frameBytes, Map.of());
  }

  private static LatencyOptions options(String token, int frameBytes, Map<String, String> zones) {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new LatencyOptions(
        "l1",
        loopback,
        Map.of("l2", loopback),
        token,
        frameBytes,
        100,
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        zones);
  }
}
