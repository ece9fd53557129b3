// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.broker.KafkaBroker;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.sink.EventSink;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A comparison of a cluster of one server with a single server that reads a topic, alternately: the
 * lag between recording an event and the row of a live query. Broker, servers, services and client
 * run in one process.
 */
public final class ClusterLag {
  private static final int NODES = 3;
  private static final int PARTITIONS = 6;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Path folder;
  private final KafkaBroker broker;
  private final int seconds;
  private int run;

  private ClusterLag(Path folder, KafkaBroker broker, int seconds) {
    this.folder = folder;
    this.broker = broker;
    this.seconds = seconds;
  }

  /** Runs the comparison. The arguments are the seconds of each run, and the number of rounds. */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "seconds, rounds");
    int seconds = given.number(0, 20);
    int rounds = given.number(1, 5);
    try (ScratchFolder scratch = ScratchFolder.create("lag");
        KafkaBroker broker =
            KafkaBroker.in(scratch.path().resolve("broker"))
                .setting("log.cleaner.enable", "false")
                .start()) {
      new ClusterLag(scratch.path(), broker, seconds).run(rounds);
    }
  }

  private void run(int rounds) throws Exception {
    long[] unusedSingle = single();
    long[] unusedCluster = cluster();
    List<Double> above = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      long[] single = print("--kafka", single());
      long[] cluster = print("a cluster of one", cluster());
      above.add((LiveLag.p99(cluster) - LiveLag.p99(single)) / 1e6);
    }
    above.sort(Comparator.naturalOrder());
    System.out.printf(
        Locale.ROOT,
        "p99 of the cluster above that of --kafka: median %.1f ms (%.1f to %.1f)%n",
        above.get(above.size() / 2),
        above.get(0),
        above.get(above.size() - 1));
  }

  private static long[] print(String what, long[] lags) {
    System.out.println("live lag, " + what + ": " + LiveLag.describe(lags));
    return lags;
  }

  private long[] single() throws Exception {
    String topic = newTopic();
    try (LogServer server =
        LogServer.start(
            ServerConfig.in(folder.resolve(topic))
                .port(0)
                .kafka(KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), topic))
                .build())) {
      return lags(server.uri(), topic);
    }
  }

  private long[] cluster() throws Exception {
    String topic = newTopic();
    int port = ClusterProcess.freePort();
    try (ClusterServer server =
        ClusterServer.start(
            ServerConfig.in(folder.resolve(topic)).port(port).build(),
            ClusterProcess.options(broker.address(), topic, port, 0))) {
      long until = System.nanoTime() + PATIENCE.toNanos();
      while (server.cluster().incompleteness().isPresent()) {
        if (System.nanoTime() > until) {
          throw new IllegalStateException(server.cluster().incompleteness().toString());
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
      return lags(server.uri(), topic);
    }
  }

  private long[] lags(URI server, String topic) throws Exception {
    List<EventSink> sinks = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      sinks.add(KafkaSink.builder(broker.address()).topic(topic).build());
    }
    return new LiveLag(server, sinks).lags(seconds);
  }

  private String newTopic() throws InterruptedException {
    String topic = "run" + ++run;
    broker.createTopic(topic, PARTITIONS, ClusterProcess.TOPIC_SETTINGS);
    return topic;
  }
}
