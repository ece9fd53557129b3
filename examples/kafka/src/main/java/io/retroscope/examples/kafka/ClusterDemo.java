// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.examples.kafka.ClusterProcesses.Placement;
import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.DemoOptions;
import io.retroscope.examples.stage.DemoRun;
import io.retroscope.examples.stage.DemoScreen;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.StageException;
import io.retroscope.rql.cut.Catalog;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A demonstration of three servers that share a topic: one of them is killed in the middle of a
 * query, whose rows must be those of a single server.
 */
public final class ClusterDemo {
  /** With nine partitions each of the three recorded nodes has one of its own. */
  private static final int PARTITIONS = 9;

  /** The runs of the recording in the history: half a million writes. */
  private static final int RUNS = 2_000;

  private static final Duration POLL = Duration.ofMillis(50);

  /** The settings of a topic of a cluster, as defaults of the broker. */
  private static final String[] TOPIC_SETTINGS = {
    "log.message.timestamp.type=LogAppendTime", "log.retention.ms=-1"
  };

  private final DemoOptions options;
  private final boolean kills;
  private final int runs;
  private final DemoScreen screen;
  private final PrintWriter err;

  /** What is read, and where. */
  private record Plan(int asked, int victim, int partition) {}

  /** What one server answers. */
  private record Reference(String query, AnswerRows answer) {}

  /**
   * A demo that is not started yet.
   *
   * @param kills whether a server is killed; a control run otherwise
   * @param out for progress and results
   * @param err for one sentence with the reason of a failure
   */
  public ClusterDemo(DemoOptions options, boolean kills, PrintWriter out, PrintWriter err) {
    this(options, kills, RUNS, out, err);
  }

  /** A demo with another number of runs in its history. */
  ClusterDemo(DemoOptions options, boolean kills, int runs, PrintWriter out, PrintWriter err) {
    this.options = options;
    this.kills = kills;
    this.runs = runs;
    this.screen = new DemoScreen(out, options.terminal(), options.quiet());
    this.err = err;
  }

  /**
   * Runs the demo to its end. In any case, no process that it started is left running.
   *
   * @return 0 if the rows are equal, or 1, with the reason written to {@code err}
   */
  public int run() {
    return DemoRun.run(options.outFolder(), screen, err, this::run);
  }

  private void run(Path folder) throws StageException, IOException, InterruptedException {
    screen.say("Starting a Kafka broker, and three servers that share its topic ...");
    try (BrokerProcess broker =
            BrokerProcess.start(
                folder.resolve("kafka"), BrokerProcess.TOPIC, PARTITIONS, TOPIC_SETTINGS);
        ClusterProcesses servers =
            ClusterProcesses.start(folder, broker.address(), options.port())) {
      servers.awaitPlaced(PARTITIONS);
      for (int i = 0; i < ClusterProcesses.COUNT; i++) {
        screen.say("  server %d  %s".formatted(i + 1, servers.uri(i)));
      }
      RecordedWrites writes = RecordedWrites.read();
      try (WriteFeed feed = new WriteFeed(broker.address(), BrokerProcess.TOPIC, writes, runs)) {
        screen.say(
            String.format(
                Locale.ROOT,
                "Sending the writes of a recorded ZooKeeper ensemble, %,d times over: %,d events",
                runs,
                feed.historyCount()));
        feed.sendHistory();
        feed.begin();
        Reference reference = askOneServer(folder, broker, writes, feed);
        watch(servers, broker, reference);
      }
    }
  }

  private Reference askOneServer(
      Path folder, BrokerProcess broker, RecordedWrites writes, WriteFeed feed)
      throws StageException, IOException, InterruptedException {
    screen.say("Asking one server that reads the same topic with --kafka:");
    WriteFeed.Range range = feed.history();
    String query =
        "SELECT r1, SPREAD(r1) AS staleness FROM setd ON TIME hlc'%s' TO hlc'%s' WHEN SPREAD(r1) >= 2 EMIT EDGES;"
            .formatted(HlcTimestamp.text(range.from()), HlcTimestamp.text(range.to()));
    screen.say("  " + query.replace(" ON", "\n    ON").replace(" WHEN", "\n    WHEN"));
    try (DemoServer one = DemoServer.start(folder.resolve("one"), 0, Optional.of(broker))) {
      awaitHistory(one, writes, feed);
      AnswerRows answer = AnswerRows.of(one.uri(), query, () -> {});
      if (answer.rows().isEmpty()) {
        throw new StageException("no row: the recording has no stale replica");
      }
      return new Reference(query, answer);
    }
  }

  private static void awaitHistory(DemoServer one, RecordedWrites writes, WriteFeed feed)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (true) {
      Map<String, Long> stored = new HashMap<>();
      for (Catalog.NodeDescription node : one.nodes()) {
        stored.put(node.name(), node.eventCount());
      }
      if (writes.nodes().stream()
          .allMatch(node -> stored.getOrDefault(node, 0L) >= feed.historyCount(node))) {
        return;
      }
      if (deadline.hasPassed()) {
        throw new StageException("the single server has only " + stored + " events of the topic");
      }
      Deadline.sleep(POLL);
    }
  }

  private void watch(ClusterProcesses servers, BrokerProcess broker, Reference reference)
      throws StageException, IOException, InterruptedException {
    Plan plan = plan(servers);
    screen.say("");
    screen.say(
        "Asking server %d of the cluster, which has neither partition %d nor its copy; server %d has it:"
            .formatted(plan.asked() + 1, plan.partition(), plan.victim() + 1));
    Deadline end = Deadline.in(Duration.ofSeconds(options.seconds()));
    try (WatermarkWatch watch = WatermarkWatch.begin(servers, plan.asked(), screen)) {
      Deadline.sleep(Duration.ofMillis(options.seconds() * 1_000L / 4));
      watch.forgetStill();
      Deadline[] killed = {Deadline.in(Duration.ZERO)};
      AnswerRows answer =
          AnswerRows.of(
              servers.uri(plan.asked()),
              reference.query(),
              () -> {
                if (kills) {
                  servers.kill(plan.victim());
                  killed[0] = Deadline.in(Duration.ZERO);
                  screen.say(
                      "  server %d was killed after the first row".formatted(plan.victim() + 1));
                }
              });
      Duration takeover = awaitTakeover(servers, plan, killed[0]);
      broker.checkRunning();
      end.await();
      finish(reference, answer, takeover, watch);
      if (options.keep()) {
        keep(servers, plan);
      }
    }
  }

  /** A partition with events, and a server that can only read it at another one. */
  private static Plan plan(ClusterProcesses servers) throws StageException, InterruptedException {
    for (int i = 0; i < ClusterProcesses.COUNT; i++) {
      Optional<Placement> placement = servers.placement(i);
      if (placement.isEmpty()) {
        continue;
      }
      for (int partition : placement.get().stored()) {
        Optional<Integer> asked = placement.get().without(partition);
        Optional<Integer> owner = placement.get().ownerOf(partition);
        if (asked.isPresent() && owner.isPresent()) {
          return new Plan(asked.get(), owner.get(), partition);
        }
      }
    }
    throw new StageException("each server has each partition with events");
  }

  /** The time from the kill until the killed server owns nothing any more. */
  private Duration awaitTakeover(ClusterProcesses servers, Plan plan, Deadline killed)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (kills && !isTakenOver(servers, plan)) {
      if (deadline.hasPassed()) {
        throw new StageException("nobody took over the partitions of the killed server");
      }
      Deadline.sleep(POLL);
    }
    return killed.remaining().negated();
  }

  private static boolean isTakenOver(ClusterProcesses servers, Plan plan)
      throws InterruptedException {
    Optional<Placement> placement = servers.placement(plan.asked());
    return placement.isPresent()
        && placement.get().ownedCount() == PARTITIONS
        && placement.get().owned().get(plan.victim()).isEmpty();
  }

  private void finish(
      Reference reference, AnswerRows answer, Duration takeover, WatermarkWatch watch)
      throws StageException, IOException {
    Files.write(options.outFolder().resolve("rows-of-one.txt"), reference.answer().rows());
    Files.write(options.outFolder().resolve("rows-of-cluster.txt"), answer.rows());
    boolean equal = answer.rows().equals(reference.answer().rows());
    screen.say("");
    screen.print(
        String.format(
            Locale.ROOT,
            "Rows       %,d, %s those of one server",
            answer.rows().size(),
            equal ? "equal to" : "DIFFERENT FROM"));
    screen.print(
        "Query      " + rate(reference.answer()) + " on one server, " + rate(answer) + " here");
    if (kills) {
      screen.print("Stall      " + seconds(answer.longestWait()) + " at most without a row");
      screen.print(
          "Takeover   " + seconds(takeover) + " after the kill; a server is missed after 6 s");
      screen.print(
          "Watermark  stood still for "
              + seconds(watch.longestStill())
              + " at most after the query began");
    }
    screen.print("Files      " + options.outFolder());
    if (!equal) {
      throw new StageException("the cluster's rows differ from those of one server");
    }
    if (watch.fall().isPresent()) {
      throw new StageException(watch.fall().get());
    }
  }

  private static String rate(AnswerRows answer) {
    return String.format(
        Locale.ROOT,
        "%s (%,.0f rows/s)",
        seconds(answer.total()),
        answer.rows().size() / (answer.total().toNanos() / 1e9));
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
  }

  /** Continues until the process is stopped. */
  private void keep(ClusterProcesses servers, Plan plan) throws InterruptedException {
    screen.print("The servers run until Ctrl-C:");
    screen.print("  query them:  ./retroscope shell --server " + servers.uri(plan.asked()));
    Thread.currentThread().join();
  }
}
