// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.sink.DeliveringSink;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.HttpSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A comparison of Kafka and HTTP with the same blocks and log server, alternately: the number of
 * events stored per second, and the delay between recording an event and the row of a live query.
 * Broker, log server, services and client run in one process.
 */
public final class KafkaAgainstHttp {
  private static final int NODES = 3;
  private static final int BLOCK_EVENTS = 4096;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long START_MICROS = 1_790_000_000_000_000L;

  private final Path folder;
  private final KafkaBroker broker;
  private final List<List<EventBlock>> blocks = new ArrayList<>();
  private int run;

  private enum Way {
    HTTP,
    KAFKA
  }

  private KafkaAgainstHttp(Path folder, KafkaBroker broker) {
    this.folder = folder;
    this.broker = broker;
  }

  /**
   * Runs the comparison. The arguments are the number of events in millions, the seconds of each
   * lag run, and the number of rounds.
   */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "millions of events, seconds, rounds");
    int millions = given.number(0, 4);
    int seconds = given.number(1, 10);
    int rounds = given.number(2, 5);
    try (ScratchFolder scratch = ScratchFolder.create("ingest");
        KafkaBroker broker =
            KafkaBroker.in(scratch.path().resolve("broker"))
                .setting("log.cleaner.enable", "false")
                .start()) {
      Path folder = scratch.path();
      KafkaAgainstHttp benchmark = new KafkaAgainstHttp(folder, broker);
      benchmark.makeBlocks(millions * 1_000_000 / NODES / BLOCK_EVENTS);
      benchmark.throughput(rounds);
      benchmark.lag(seconds, Math.max(1, rounds / 2));
    }
  }

  private void makeBlocks(int perNode) {
    for (int node = 0; node < NODES; node++) {
      List<EventBlock> own = new ArrayList<>();
      for (int number = 1; number <= perNode; number++) {
        EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", number);
        long hlc = 0;
        for (int i = 0; i < BLOCK_EVENTS; i++) {
          long version = (number - 1L) * BLOCK_EVENTS + i;
          hlc = HlcTimestamp.pack(START_MICROS + version * 3 + node);
          Change change = new Change(Operation.SET, "r1", Value.of(version));
          builder.add(new Event("n" + node, "setd", hlc, new StateChange(List.of(change))));
        }
        own.add(builder.promise(hlc, 0).build());
      }
      blocks.add(own);
    }
  }

  private void throughput(int rounds) throws Exception {
    ingest(Way.HTTP);
    ingest(Way.KAFKA);
    double[] ratios = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      double http = ingest(Way.HTTP);
      double kafka = ingest(Way.KAFKA);
      ratios[round] = kafka / http;
      System.out.printf(
          Locale.ROOT,
          "ingest: HTTP %,.0f events/s, Kafka %,.0f events/s, ratio %.2f%n",
          http,
          kafka,
          ratios[round]);
    }
    Samples samples = new Samples(ratios);
    System.out.printf(
        Locale.ROOT,
        "ingest: median ratio %.2f (%.2f to %.2f), %,d events in blocks of %,d from %d nodes%n",
        samples.median(),
        samples.lowest(),
        samples.highest(),
        eventCount(),
        BLOCK_EVENTS,
        NODES);
  }

  private long eventCount() {
    return blocks.stream().mapToLong(own -> (long) own.size() * BLOCK_EVENTS).sum();
  }

  /** The events per second, from the first block that a sink gets until all are stored durably. */
  private double ingest(Way way) throws Exception {
    String topic = nextTopic();
    try (LogServer server = server(way, topic)) {
      List<DeliveringSink> sinks = new ArrayList<>();
      for (int node = 0; node < NODES; node++) {
        sinks.add(sink(way, topic, server));
      }
      long start = System.nanoTime();
      for (int i = 0; i < blocks.get(0).size(); i++) {
        for (int node = 0; node < NODES; node++) {
          sinks.get(node).accept(blocks.get(node).get(i));
        }
      }
      for (DeliveringSink sink : sinks) {
        if (!sink.flush(PATIENCE) || sink.lostEventCount() > 0) {
          throw new IllegalStateException("not delivered, or not all: " + sink.lostEventCount());
        }
      }
      awaitStored(server);
      double seconds = (System.nanoTime() - start) / 1e9;
      sinks.forEach(EventSink::close);
      return eventCount() / seconds;
    }
  }

  private void awaitStored(LogServer server) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (storedCount(server) < eventCount()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("stored only " + storedCount(server));
      }
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  private static long storedCount(LogServer server) {
    try (EventSource.View view = server.events().open()) {
      return view.logs().stream().mapToLong(Catalog.LogDescription::eventCount).sum();
    }
  }

  private void lag(int seconds, int rounds) throws Exception {
    measureLag(Way.HTTP, 2);
    measureLag(Way.KAFKA, 2);
    for (int round = 0; round < rounds; round++) {
      System.out.println("live lag over HTTP:  " + measureLag(Way.HTTP, seconds));
      System.out.println("live lag over Kafka: " + measureLag(Way.KAFKA, seconds));
    }
  }

  private String measureLag(Way way, int seconds) throws Exception {
    String topic = nextTopic();
    try (LogServer server = server(way, topic)) {
      List<EventSink> sinks = new ArrayList<>();
      for (int node = 0; node < NODES; node++) {
        sinks.add(sink(way, topic, server));
      }
      return new LiveLag(server.uri(), sinks).measure(seconds);
    }
  }

  private String nextTopic() throws InterruptedException {
    run++;
    String topic = "run" + run;
    broker.createTopic(topic, NODES, Map.of("max.message.bytes", Integer.toString(16 << 20)));
    return topic;
  }

  private LogServer server(Way way, String topic) {
    ServerConfig.Builder config = ServerConfig.in(folder.resolve(topic)).port(0);
    if (way == Way.KAFKA) {
      config.kafka(KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), topic));
    }
    return LogServer.start(config.build());
  }

  private DeliveringSink sink(Way way, String topic, LogServer server) {
    return way == Way.KAFKA
        ? KafkaSink.builder(broker.address()).topic(topic).maxMemoryBytes(1L << 30).build()
        : HttpSink.builder().server(server.uri()).maxMemoryBytes(1L << 30).build();
  }
}
