// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.Value;
import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.LinkWeather;
import io.retroscope.examples.stage.LiveMatches;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.HttpSink;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that one recorded run of a real ensemble, sent over both transports, gives the same
 * results. {@code KafkaSameAnswersTest} of the log server does so for events of a recorder.
 */
final class TransportsTest {
  private static final long SEED = 20261121;
  private static final Duration RUN = Duration.ofSeconds(6);
  private static final Duration WRITE_INTERVAL = Duration.ofMillis(20);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The wait after the last write, so that every server's promise is above it. */
  private static final Duration SETTLE = Duration.ofMillis(1_500);

  @TempDir Path folder;

  @Test
  @Tag("slow")
  void staleness_recordedRunOverKafkaAndHttp_hasTheSameRowsPastAndLive() throws Exception {
    record();
    List<EventBlock> blocks = blocks();
    try (BrokerProcess broker = BrokerProcess.start(folder.resolve("kafka"));
        DemoServer overKafka = server("over-kafka", Optional.of(broker));
        DemoServer overHttp = server("over-http", Optional.empty())) {
      List<Function<String, EventSink>> ways =
          List.of(
              node -> KafkaSink.builder(broker.address()).topic(BrokerProcess.TOPIC).build(),
              node -> HttpSink.builder().server(overHttp.uri()).build());
      int begun = blocks.size() / 3;
      for (Function<String, EventSink> way : ways) {
        send(blocks.subList(0, begun), way);
      }
      List<DemoServer> servers = List.of(overKafka, overHttp);
      for (DemoServer server : servers) {
        Awaitility.await().atMost(PATIENCE).until(() -> !server.nodes().isEmpty());
      }
      try (LiveMatches kafkaRows = follow(overKafka, blocks);
          LiveMatches httpRows = follow(overHttp, blocks)) {
        for (Function<String, EventSink> way : ways) {
          send(blocks.subList(begun, blocks.size()), way);
        }
        long last = lastChange(blocks);
        assertThat(kafkaRows.awaitReached(last, PATIENCE)).as("Kafka, live").isTrue();
        assertThat(httpRows.awaitReached(last, PATIENCE)).as("HTTP, live").isTrue();
        List<Map<String, Value>> rows = rows(overHttp.run(question("", "")));
        assertThat(rows).as("seed %d", SEED).isNotEmpty();
        assertThat(rows(overKafka.run(question("", "")))).as("Kafka, past").isEqualTo(rows);
        assertThat(rows(httpRows.matches())).as("HTTP, live").isEqualTo(rows);
        assertThat(rows(kafkaRows.matches())).as("Kafka, live").isEqualTo(rows);
      }
    }
  }

  private static String question(String stream, String time) {
    return ZookeeperDemo.QUESTION
        .replace("SELECT STREAM", "SELECT " + stream)
        .replace(" EMIT", " " + time + " EMIT");
  }

  private static LiveMatches follow(DemoServer server, List<EventBlock> blocks)
      throws StageException, InterruptedException {
    long first = events(blocks).mapToLong(Event::hlc).min().orElseThrow();
    String since = "ON TIME hlc'" + HlcTimestamp.text(first) + "'";
    return LiveMatches.follow(server.uri(), question("STREAM", since), match -> {}, PATIENCE);
  }

  private static List<Map<String, Value>> rows(List<Match> matches) {
    return matches.stream().map(Match::comparable).toList();
  }

  private DemoServer server(String name, Optional<BrokerProcess> broker) throws StageException {
    // Longer than the whole transfer, so that no node is excluded as silent.
    return DemoServer.start(
        ServerConfig.in(folder.resolve(name)).port(0).idleTimeout(PATIENCE), broker);
  }

  /** Runs an ensemble with a slow follower, whose agents record into files. */
  private void record() throws Exception {
    Random random = new Random(SEED);
    EnsembleOptions options =
        EnsembleOptions.of(folder.resolve("run"), "file=events.blocks", List.of("/"))
            .withSlowNode(ZookeeperDemo.SLOW_NODE);
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options)) {
      String fast = ensemble.connectStringWithout(ZookeeperDemo.SLOW_NODE);
      try (WriteWorkload workload =
              WriteWorkload.begin(fast, List.of("/r1"), WRITE_INTERVAL, random);
          LinkWeather weather = LinkWeather.begin(ensemble::slowLinkMillis, random)) {
        Deadline.sleep(RUN);
        assertThat(workload.writtenCount()).isPositive();
        assertThat(weather).isNotNull();
      }
      Deadline.sleep(SETTLE);
    }
  }

  /** The recorded blocks: each server's in their order, and all in the order of their promises. */
  private List<EventBlock> blocks() throws IOException {
    List<EventBlock> blocks = new ArrayList<>();
    for (String node : EnsembleOptions.NODES) {
      Path file = folder.resolve("run").resolve(node).resolve("events.blocks");
      try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
        for (Optional<BlockFrame> frame = EventBlockCodec.read(in, 0);
            frame.isPresent();
            frame = EventBlockCodec.read(in, 0)) {
          if (frame.get() instanceof EventBlock block && block.number() > 0) {
            blocks.add(block);
          }
        }
      }
    }
    blocks.sort(Comparator.comparingLong(EventBlock::heartbeat));
    return blocks;
  }

  private static Stream<Event> events(List<EventBlock> blocks) {
    return blocks.stream().flatMap(block -> block.events().stream());
  }

  private static long lastChange(List<EventBlock> blocks) {
    return events(blocks)
        .filter(event -> event.log().equals("setd"))
        .mapToLong(Event::hlc)
        .max()
        .orElseThrow();
  }

  /** Sends the blocks of each node through a separate sink, and waits until all have arrived. */
  private static void send(List<EventBlock> blocks, Function<String, EventSink> way) {
    Map<String, EventSink> sinks = new HashMap<>();
    try {
      blocks.forEach(block -> sinks.computeIfAbsent(block.node(), way).accept(block));
      sinks.forEach((node, sink) -> assertThat(sink.flush(PATIENCE)).as(node).isTrue());
    } finally {
      sinks.values().forEach(EventSink::close);
    }
  }
}
