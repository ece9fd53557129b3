// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.DemoOptions;
import io.retroscope.examples.stage.DemoRun;
import io.retroscope.examples.stage.DemoScreen;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.DemoSound;
import io.retroscope.examples.stage.LinkWeather;
import io.retroscope.examples.stage.LiveMatches;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * The demo: a traced ZooKeeper ensemble with a slow follower, and a query for the staleness of its
 * replicas, live and afterwards.
 */
public final class ZookeeperDemo {
  /** The query for stale replicas in every state that the ensemble passed through. */
  public static final String QUESTION =
      "SELECT STREAM r1, SPREAD(r1) AS staleness FROM setd"
          + " WHEN SPREAD(r1) >= 2"
          + " EMIT EDGES;";

  static final String SLOW_NODE = "zk1";

  private static final List<String> ZNODES = List.of("/r1", "/r2", "/app/config", "/app/leader");
  private static final Duration WRITE_INTERVAL = Duration.ofMillis(40);
  private static final Duration STATUS_INTERVAL = Duration.ofMillis(250);
  private static final Duration SETTLE = Duration.ofMillis(500);

  private final DemoOptions options;
  private final Transport transport;
  private final boolean faults;
  private final DemoScreen screen;
  private final PrintWriter err;
  private final Random random;

  /** A path from the traced servers to the log server. */
  public enum Transport {
    /** Directly. */
    HTTP,
    /** Through a topic of a broker that the demo starts. */
    KAFKA
  }

  /**
   * A demo that is not started yet.
   *
   * @param transport the path of the events to the log server
   * @param faults whether a link is slow now and then
   * @param out for progress and results
   * @param err for one sentence with the reason of a failure
   */
  public ZookeeperDemo(
      DemoOptions options, Transport transport, boolean faults, PrintWriter out, PrintWriter err) {
    this(options, transport, faults, out, err, new Random());
  }

  ZookeeperDemo(
      DemoOptions options,
      Transport transport,
      boolean faults,
      PrintWriter out,
      PrintWriter err,
      Random random) {
    this.options = options;
    this.transport = transport;
    this.faults = faults;
    this.screen = new DemoScreen(out, options.terminal(), options.quiet());
    this.err = err;
    this.random = random;
  }

  /**
   * Runs the demo to its end. In any case, no process that it started is left running.
   *
   * @return 0, or 1 if it failed, with the reason written to {@code err}
   */
  public int run() {
    return DemoRun.run(options.outFolder(), screen, err, this::run);
  }

  private void run(Path folder) throws StageException, IOException, InterruptedException {
    if (transport == Transport.HTTP) {
      run(folder, Optional.empty());
      return;
    }
    screen.say("Starting a Kafka broker ...");
    try (BrokerProcess broker = BrokerProcess.start(folder.resolve("kafka"))) {
      run(folder, Optional.of(broker));
    }
  }

  private void run(Path folder, Optional<BrokerProcess> broker)
      throws StageException, IOException, InterruptedException {
    screen.say("Starting a log server ...");
    try (DemoServer server = DemoServer.start(folder.resolve("store"), options.port(), broker)) {
      screen.say("Starting three ZooKeeper servers, each with the agent ...");
      String sink = "server=" + broker.map(BrokerProcess::uri).orElse(server.uri());
      EnsembleOptions ensembleOptions =
          EnsembleOptions.of(folder.resolve("zookeeper"), sink, List.of("/"))
              .withSlowNode(SLOW_NODE);
      try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(ensembleOptions);
          DemoSound sound =
              DemoSound.open(
                  server.uri(), DemoSoundscape.STATEMENTS, names(ensemble), screen::say)) {
        introduce(server, broker, ensemble);
        screen.say("Each stale server has its place in the sound: " + sound.places());
        screen.say("");
        List<Match> live = watch(server, ensemble);
        Optional<String> wrong = new DemoReport(screen, server, options.outFolder()).finish(live);
        if (options.keep()) {
          keep(server, ensemble);
        }
        if (wrong.isPresent()) {
          throw new StageException(wrong.get());
        }
      }
    }
  }

  private static List<String> names(ZookeeperEnsemble ensemble) {
    return ensemble.servers().stream().map(EnsembleServer::node).toList();
  }

  private void introduce(
      DemoServer server, Optional<BrokerProcess> broker, ZookeeperEnsemble ensemble) {
    screen.say("  log server  " + server.uri());
    broker.ifPresent(
        kafka ->
            screen.say(
                "  broker      %s, topic %s".formatted(kafka.address(), BrokerProcess.TOPIC)));
    for (EnsembleServer zk : ensemble.servers()) {
      screen.say(
          String.format(
              Locale.ROOT,
              "  %-10s  %s  %s%s",
              zk.node(),
              zk.address(),
              zk.mode().orElse("?"),
              faults && zk.node().equals(SLOW_NODE) ? ", its link is slow now and then" : ""));
    }
    screen.say("");
    screen.say("Asking, live, while clients write /r1 and a few others:");
    screen.say("  " + QUESTION.replace(" WHEN", "\n    WHEN").replace(" EMIT", "\n    EMIT"));
    screen.say("");
  }

  private List<Match> watch(DemoServer server, ZookeeperEnsemble ensemble)
      throws StageException, IOException, InterruptedException {
    MatchPrinter printer = new MatchPrinter(screen);
    try (LiveMatches live =
        LiveMatches.follow(server.uri(), QUESTION, printer::print, Deadline.PATIENCE)) {
      work(ensemble, live);
      screen.endStatus();
      if (!live.awaitReached(lastChange(server), Deadline.PATIENCE)) {
        throw new StageException(
            "the live query did not get to the end within " + Deadline.PATIENCE.toSeconds() + " s");
      }
      live.warnings().forEach(warning -> screen.say("  warning: " + warning));
      return live.matches();
    }
  }

  /** The newest stamp that the live results must have reached. */
  private static long lastChange(DemoServer server) throws StageException, IOException {
    return server.run("SELECT r1 FROM setd;").stream()
        .mapToLong(Match::hlc)
        .max()
        .orElseThrow(() -> new StageException("no server recorded a write of /r1"));
  }

  private void work(ZookeeperEnsemble ensemble, LiveMatches live)
      throws StageException, InterruptedException {
    try (WriteWorkload workload = beginWrites(ensemble)) {
      Deadline end = Deadline.in(Duration.ofSeconds(options.seconds()));
      try (LinkWeather weather = beginWeather(ensemble)) {
        while (!end.hasPassed()) {
          Deadline.sleep(STATUS_INTERVAL);
          live.checkAlive();
          ensemble.checkRunning();
          screen.status(
              String.format(
                  Locale.ROOT,
                  "  %d s to go   %d writes   %d edges   link of %s: %s",
                  Math.max(0, end.remaining().toSeconds()),
                  workload.writtenCount(),
                  live.matches().size(),
                  SLOW_NODE,
                  weather.isSlow() ? "slow" : "fair"));
        }
      }
      if (workload.writtenCount() == 0) {
        throw new StageException("no write succeeded in " + options.seconds() + " s");
      }
    }
    Deadline.sleep(SETTLE);
  }

  private WriteWorkload beginWrites(ZookeeperEnsemble ensemble)
      throws StageException, InterruptedException {
    return WriteWorkload.begin(
        ensemble.connectStringWithout(SLOW_NODE), ZNODES, WRITE_INTERVAL, random);
  }

  private LinkWeather beginWeather(ZookeeperEnsemble ensemble) {
    return faults ? LinkWeather.begin(ensemble::slowLinkMillis, random) : LinkWeather.fair();
  }

  /** Continues until the process is stopped, so that live queries have results. */
  private void keep(DemoServer server, ZookeeperEnsemble ensemble)
      throws StageException, InterruptedException {
    screen.print("");
    screen.print("The demo runs until Ctrl-C, with its clients and its faults.");
    screen.print("  see it:         " + server.uri() + "/");
    screen.print("  query it:       ./retroscope shell --server " + server.uri());
    screen.print("  ZooKeeper is at " + ensemble.connectString());
    try (WriteWorkload workload = beginWrites(ensemble);
        LinkWeather weather = beginWeather(ensemble)) {
      while (true) {
        Deadline.sleep(STATUS_INTERVAL);
        ensemble.checkRunning();
        screen.status(
            String.format(
                Locale.ROOT,
                "  %d writes   link of %s: %s",
                workload.writtenCount(),
                SLOW_NODE,
                weather.isSlow() ? "slow" : "fair"));
      }
    }
  }
}
