// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** A node of the case study, on the loopback interface. */
public final class LatencyNode {
  /** A node that finds this file in its working directory writes its report. */
  static final String ASK_FILE = "ask";

  /** Created when all nodes have answered in one round. */
  static final String READY_FILE = "ready";

  /** Has a line for each {@link Stall}. */
  static final String STALLS_FILE = "stalls";

  /** Created when the report is written. */
  static final String WRITTEN_FILE = "written";

  static final int FRAME_BYTES = 1_024;
  static final int ROUNDS_PER_SECOND = 50;
  static final Duration SUSPECT_AFTER = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofHours(1);

  private LatencyNode() {}

  /**
   * Runs a node until the process ends.
   *
   * @param args its port, the token, and each peer as {@code NAME=PORT}
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Stamps(recorder));
  }

  /** Runs a node with other stamps. */
  static void run(String[] args, Recorder recorder, Stamps stamps)
      throws IOException, InterruptedException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    Map<String, InetSocketAddress> peers = new TreeMap<>();
    for (int i = 2; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      int port = Integer.parseInt(args[i].substring(equals + 1));
      peers.put(args[i].substring(0, equals), new InetSocketAddress(loopback, port));
    }
    LatencyOptions options =
        new LatencyOptions(
            recorder.node(),
            new InetSocketAddress(loopback, Integer.parseInt(args[0])),
            peers,
            args[1],
            FRAME_BYTES,
            ROUNDS_PER_SECOND,
            SUSPECT_AFTER,
            LONGEST,
            LatencyScene.ZONES);
    PhysicalClock clock =
        PhysicalClock.system().skewedBy(Long.getLong("retroscope.clock.skew.micros", 0));
    try (LatencyTester tester =
        new LatencyTester(
            options, recorder.log("clt"), stamps, clock, LatencyNode::say, LatencyNode::note)) {
      Thread rounds = new Thread(() -> runRounds(tester), "rounds");
      rounds.setDaemon(true);
      rounds.start();
      while (!tester.hasWholeRound()) {
        Thread.sleep(1_000 / ROUNDS_PER_SECOND);
      }
      Files.createFile(Path.of(READY_FILE));
      while (true) {
        Thread.sleep(1_000 / ROUNDS_PER_SECOND);
        if (Files.deleteIfExists(Path.of(ASK_FILE))) {
          tester.report().write(Path.of("").toAbsolutePath());
          Files.createFile(Path.of(WRITTEN_FILE));
        }
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static void note(Stall stall) {
    try {
      Files.writeString(
          Path.of(STALLS_FILE),
          stall.text() + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      say("cannot note a stall: " + e.getMessage());
    }
  }

  private static void runRounds(LatencyTester tester) {
    try {
      tester.run();
    } catch (InterruptedException e) {
      // The process ends.
    }
  }
}
