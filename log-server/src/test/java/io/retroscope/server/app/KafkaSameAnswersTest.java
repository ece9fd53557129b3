// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.HttpSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the same events yield the same rows, past and live, over HTTP and over Kafka. */
@Timeout(120)
class KafkaSameAnswersTest {
  private static final String TOPIC = "events";
  private static final int NODES = 3;
  private static final int VERSIONS = 400;
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 2) %s",
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 2 %s EMIT EDGES",
          "SELECT %s r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 2 %s EMIT INTERVALS");

  private final long seed = Long.getLong("retroscope.seed", 20261121);
  private final PhysicalClock clock = PhysicalClock.system();
  @TempDir Path folder;

  /** A sink that passes each block to two sinks. */
  private record BothSinks(EventSink first, EventSink second) implements EventSink {
    @Override
    public void accept(EventBlock block) {
      first.accept(block);
      second.accept(block);
    }

    @Override
    public boolean flush(Duration timeout) {
      return first.flush(timeout) && second.flush(timeout);
    }

    @Override
    public void close() {
      first.close();
      second.close();
    }
  }

  @Test
  void staleness_sameRecordersOverBothWays_hasTheSameRowsPastAndLive() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 2, Map.of());
      Map<String, String> settings = Map.of("bootstrap.servers", broker.address());
      ServerConfig.Builder overKafka = config("kafka").kafka(KafkaOptions.of(settings, TOPIC));
      try (LogServer kafka = LogServer.start(overKafka.build());
          LogServer http = LogServer.start(config("http").build())) {
        compare(broker, List.of(kafka, http), threads);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private ServerConfig.Builder config(String name) {
    // Much longer than any pause of the machine, so that no node becomes silent here.
    return ServerConfig.in(folder.resolve(name)).port(0).idleTimeout(Duration.ofSeconds(30));
  }

  private void compare(KafkaBroker broker, List<LogServer> servers, ExecutorService threads)
      throws Exception {
    List<Recorder> recorders = new ArrayList<>();
    try {
      for (int node = 0; node < NODES; node++) {
        recorders.add(recorder("n" + node, broker, servers.get(1)));
      }
      String start = "ON TIME hlc'" + clock.micros() + ".0'";
      writeVersions(recorders, 1, VERSIONS / 2);
      servers.forEach(KafkaSameAnswersTest::awaitAllNodes);
      List<LiveRows> followers = new ArrayList<>();
      List<Future<List<String>>> followed = new ArrayList<>();
      for (String question : QUESTIONS) {
        for (LogServer server : servers) {
          LiveRows rows =
              new LiveRows(new HttpProbe(server.uri()), question.formatted("STREAM", start));
          followers.add(rows);
          followed.add(threads.submit(rows));
        }
      }
      writeVersions(recorders, VERSIONS / 2, VERSIONS);
      long endMicros = clock.micros();
      followers.forEach(rows -> rows.until(HlcTimestamp.pack(endMicros)));
      for (int i = 0; i < QUESTIONS.size(); i++) {
        List<String> overKafka = rows(followed.get(2 * i), servers.get(0));
        List<String> overHttp = rows(followed.get(2 * i + 1), servers.get(1));
        String range = start + " TO hlc'" + endMicros + ".0'";
        String question = QUESTIONS.get(i).formatted("", range);
        assertThat(overKafka).as("seed %d, live: %s", seed, question).isNotEmpty();
        assertThat(overKafka).as("seed %d, live: %s", seed, question).isEqualTo(overHttp);
        assertThat(ask(servers.get(0), question)).as("seed %d", seed).isEqualTo(overKafka);
        assertThat(ask(servers.get(1), question)).as("seed %d", seed).isEqualTo(overHttp);
      }
    } finally {
      recorders.forEach(Recorder::close);
    }
  }

  /**
   * Waits because rows list a late node as missing until the watermark counts it, which takes a
   * different time on each server.
   */
  private static void awaitAllNodes(LogServer server) {
    HttpProbe http = new HttpProbe(server.uri());
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(http.get("/v1/nodes").body())
                    .contains("\"n0\"", "\"n1\"", "\"n2\"", "\"missing\":[]"));
  }

  /** The rows; a stream that makes no progress fails with the state of the server. */
  private static List<String> rows(Future<List<String>> followed, LogServer server)
      throws Exception {
    try {
      return followed.get(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      HttpProbe http = new HttpProbe(server.uri());
      throw new AssertionError(
          "a stream stands still; /v1/nodes says "
              + http.get("/v1/nodes").body()
              + "\nand /metrics\n"
              + http.get("/metrics").body(),
          e);
    }
  }

  private static Recorder recorder(String node, KafkaBroker broker, LogServer http) {
    EventSink overKafka = KafkaSink.builder(broker.address()).topic(TOPIC).build();
    EventSink overHttp = HttpSink.builder().server(http.uri()).build();
    return Recorder.builder().node(node).sink(new BothSinks(overKafka, overHttp)).build();
  }

  /** All nodes apply the same versions, one of them late occasionally; at the end all agree. */
  private void writeVersions(List<Recorder> recorders, int from, int to)
      throws InterruptedException {
    Random random = new Random(seed + from);
    List<EventLog> logs = recorders.stream().map(recorder -> recorder.log("setd")).toList();
    int missed = 0;
    for (int version = from; version <= to; version++) {
      logs.get(0).set("r1", version);
      logs.get(1).set("r1", version);
      missed = random.nextInt(4) > 0 && version < to ? missed + 1 : 0;
      if (missed == 0) {
        logs.get(2).set("r1", version);
      }
      TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(3));
    }
  }

  private static List<String> ask(LogServer server, String question) throws Exception {
    HttpProbe.Reply reply = new HttpProbe(server.uri()).query(question);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return reply.body().lines().map(LiveRows::withoutTimes).toList();
  }
}
