// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.kafka.StartFrom;
import io.retroscope.server.metrics.MetricCatalogue;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.disk.SourcePosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a log server that reads a topic of a real broker. */
@Timeout(240)
class KafkaIngestTest {
  private static final int EVENTS = TopicWriter.BLOCK_EVENTS;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path brokerFolder;
  private static KafkaBroker broker;

  @TempDir Path folder;
  private String topic;
  private TopicWriter writer;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.in(brokerFolder).setting("auto.create.topics.enable", "false").start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void nameTopic(TestInfo test) {
    topic = test.getTestMethod().orElseThrow().getName();
    writer = new TopicWriter(broker.address(), topic);
  }

  @AfterEach
  void closeWriter() {
    writer.close();
  }

  @Test
  void restart_continuesWhereReadingStopped() throws Exception {
    broker.createTopic(topic, 2, Map.of());
    writer.writeBlocks(0, "a", 1, 30);
    writer.writeBlocks(1, "b", 1, 20);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitMetric(server, "kafka_records_total", 50);
      awaitEvents(server, 50 * EVENTS);
    }
    writer.writeBlocks(0, "a", 31, 35);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 55 * EVENTS);
      awaitMetric(server, "kafka_lag_records", 0);
      assertThat(metric(server, "kafka_records_total")).isEqualTo(5);
      assertThat(metric(server, "events_duplicate_total")).isZero();
    }
  }

  @Test
  void replay_fromTheBeginningOrAnOffset_recognisesStoredBlocks() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 30);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 30 * EVENTS);
    }
    try (LogServer server = start(StartFrom.parse("earliest"))) {
      awaitMetric(server, "events_duplicate_total", 30 * EVENTS);
      awaitEvents(server, 30 * EVENTS);
    }
    try (LogServer server = start(StartFrom.parse("0:25"))) {
      awaitMetric(server, "events_duplicate_total", 5 * EVENTS);
      awaitEvents(server, 30 * EVENTS);
    }
    assertThatThrownBy(() -> start(StartFrom.parse("0:31")))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "partition 0 of topic \"%s\" has no offset 31 to start from, only 0 to 30: check"
                + " --kafka-from",
            topic);
  }

  @Test
  void recordsThatAreNoGoodBlocks_arePassedOverAndNotReadAgain() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    byte[] damaged = TopicWriter.block("a", 1, 0);
    damaged[damaged.length / 2] ^= 1;
    writer.write(0, "hello".getBytes(StandardCharsets.UTF_8));
    writer.write(0, new byte[0]);
    writer.write(0, null);
    writer.write(0, damaged);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitMetric(server, "kafka_records_foreign_total", 3);
      awaitMetric(server, "kafka_records_refused_total", 1);
      writer.writeBlocks(0, "a", 1, 1);
      awaitEvents(server, EVENTS);
      writer.write(0, damaged);
      awaitMetric(server, "kafka_records_refused_total", 2);
      awaitMetric(server, "kafka_lag_records", 0);
    }
    try (LogServer server = start(StartFrom.STORED)) {
      awaitMetric(server, "kafka_partitions", 1);
      assertThat(metric(server, "kafka_lag_records")).isZero();
      assertThat(metric(server, "kafka_records_total")).isZero();
    }
  }

  @Test
  void recordThatContradictsTheStore_isPassedOverAlone() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 3);
    writer.write(0, TopicWriter.block("a", 2, 77));
    writer.writeBlocks(0, "a", 3, 6);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 6 * EVENTS);
      awaitMetric(server, "kafka_records_refused_total", 1);
      awaitMetric(server, "events_duplicate_total", EVENTS);
      awaitMetric(server, "kafka_lag_records", 0);
      assertThat(ready(server)).isEqualTo("ready\n");
    }
  }

  @Test
  void partitionsThatAreAdded_areReadFromTheirBeginning() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    try (LogServer server = start(StartFrom.STORED)) {
      writer.writeBlocks(0, "a", 1, 3);
      awaitEvents(server, 3 * EVENTS);
      broker.growTopic(topic, 3);
      Awaitility.await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> writer.write(2, block("b", 1)) >= 0);
      awaitEvents(server, 4 * EVENTS);
      awaitMetric(server, "kafka_partitions", 3);
    }
  }

  @Test
  void topicMadeAgain_isReadFromItsBeginning() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 5);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 5 * EVENTS);
      recreate();
      // The old blocks again, as many as were read before, and a new one.
      writer.writeBlocks(0, "a", 1, 6);
      awaitEvents(server, 6 * EVENTS);
      awaitMetric(server, "kafka_trouble", 0);
    }
    recreate();
    writer.writeBlocks(0, "a", 7, 8);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 8 * EVENTS);
    }
  }

  private void recreate() throws Exception {
    broker.deleteTopic(topic);
    writer.close();
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              broker.createTopic(topic, 1, Map.of());
              return true;
            });
    writer = new TopicWriter(broker.address(), topic);
  }

  @Test
  void recordsRemovedUnread_stopTheStartUntilThatIsAccepted() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 5);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 5 * EVENTS);
    }
    writer.writeBlocks(0, "a", 6, 10);
    removeBefore(8);

    assertThatThrownBy(() -> start(StartFrom.STORED))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "records 5 to 7 of partition 0 of topic \"%s\" were removed before they were read (see"
                + " retention.ms and retention.bytes of the topic): their events are lost; start"
                + " with --kafka-from available to go on without them",
            topic);
    try (LogServer server = start(StartFrom.parse("available"))) {
      awaitEvents(server, 7 * EVENTS);
    }
    try (LogServer server = start(StartFrom.STORED)) {
      assertThat(ready(server)).isEqualTo("ready\n");
    }
  }

  private void removeBefore(long offset) throws InterruptedException {
    broker.administer(
        admin ->
            admin
                .deleteRecords(
                    Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get());
  }

  @Test
  void positionBeyondTheEnd_isReadAgainFromTheBeginning() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 5);
    String[] id = new String[1];
    broker.administer(
        admin ->
            id[0] =
                admin
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .topicId()
                    .toString());
    try (EventStore store =
        EventStore.open(folder.resolve("data"), StoreOptions.DEFAULT, () -> 0)) {
      SourcePosition beyond = new SourcePosition("kafka/" + topic + "/" + id[0] + "/0", 100, -1);
      store.append(new Submission.Frames(List.of(), List.of(beyond))).join();
    }
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 5 * EVENTS);
    }
  }

  @Test
  void start_missingTopicOrNoBroker_namesTheSetting() throws IOException {
    assertThatThrownBy(() -> start(StartFrom.STORED))
        .isInstanceOf(ServerException.class)
        .hasMessage("there is no topic \"%s\": create it, or check --topic", topic);
    assertThatThrownBy(
            () ->
                LogServer.start(
                    config(KafkaOptions.of(Map.of("bootstrap.servers", "127.0.0.1:1"), topic))))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "no broker answers at 127.0.0.1:1: check --kafka (bootstrap.servers) and"
                + " security.protocol");
    assertThatThrownBy(
            () ->
                LogServer.start(
                    config(KafkaOptions.of(Map.of("bootstrap.servers", "nonsense"), topic))))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("bootstrap.servers")
        .hasMessageContaining("nonsense");
  }

  @Test
  void metrics_everyOneOfTheCatalogue_isPrinted() throws Exception {
    broker.createTopic(topic, 1, Map.of());
    writer.writeBlocks(0, "a", 1, 3);
    try (LogServer server = start(StartFrom.STORED)) {
      awaitEvents(server, 3 * EVENTS);
      assertThat(metric(server, "events_accepted_total")).isEqualTo(3 * EVENTS);
      List<String> printed =
          Pattern.compile("(?m)^# TYPE (retroscope_\\S+) (\\S+)$")
              .matcher(new HttpProbe(server.uri()).get("/metrics").body())
              .results()
              .map(found -> found.group(1) + " " + found.group(2))
              .toList();
      assertThat(printed).containsExactlyInAnyOrderElementsOf(MetricCatalogue.typesFromTheStart());
    }
  }

  private static byte[] block(String node, int number) {
    return TopicWriter.block(node, number, 0);
  }

  /** What waits in the topic takes far more memory than the heap has. */
  @Test
  void catchUp_smallHeap_finishesAndLosesNothing() throws Exception {
    catchUp(50, Duration.ofSeconds(60));
  }

  @Test
  @Tag("slow")
  void catchUp_muchMoreInASmallHeap_finishesAndLosesNothing() throws Exception {
    catchUp(300, Duration.ofSeconds(200));
  }

  private void catchUp(int blocksPerNode, Duration patience) throws Exception {
    broker.createTopic(topic, 2, Map.of());
    int eventsPerBlock = 1_000;
    writer.writeTexts(0, "a", blocksPerNode, eventsPerBlock);
    writer.writeTexts(1, "b", blocksPerNode, eventsPerBlock);
    int events = 2 * blocksPerNode * eventsPerBlock;
    try (ServerProcess server =
        ServerProcess.start(
            folder.resolve("data"),
            List.of("-Xmx160m"),
            ServerProcess.Main.class,
            broker.address(),
            topic)) {
      HttpProbe http = new HttpProbe(server.uri());
      Awaitility.await()
          .atMost(patience)
          .pollInterval(Duration.ofMillis(500))
          .untilAsserted(
              () ->
                  assertThat(http.get("/metrics").body())
                      .contains("retroscope_kafka_records_total " + 2.0 * blocksPerNode + "\n")
                      .contains("retroscope_kafka_lag_records 0.0\n"));
      assertThat(http.get("/v1/logs").body()).contains("\"events\":" + events + ",");
      assertThat(http.get("/metrics").body()).contains("retroscope_inputs_rejected_total 0.0\n");
    }
  }

  private LogServer start(StartFrom from) {
    Map<String, String> settings = Map.of("bootstrap.servers", broker.address());
    return LogServer.start(config(KafkaOptions.of(settings, topic).from(from)));
  }

  private ServerConfig config(KafkaOptions kafka) {
    return ServerConfig.in(folder.resolve("data")).port(0).kafka(kafka).build();
  }

  private static void awaitEvents(LogServer server, long count) {
    HttpProbe http = new HttpProbe(server.uri());
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(http.get("/v1/logs").body()).contains("\"events\":" + count + ","));
  }

  private static void awaitMetric(LogServer server, String name, long value) {
    HttpProbe http = new HttpProbe(server.uri());
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(metric(http, name)).isEqualTo(value));
  }

  private static long metric(LogServer server, String name) throws Exception {
    return metric(new HttpProbe(server.uri()), name);
  }

  private static long metric(HttpProbe http, String name) throws Exception {
    String metrics = http.get("/metrics").body();
    Matcher found = Pattern.compile("(?m)^retroscope_" + name + " (\\S+)$").matcher(metrics);
    assertThat(found.find()).as(metrics).isTrue();
    return (long) Double.parseDouble(found.group(1));
  }

  private static String ready(LogServer server) throws Exception {
    return new HttpProbe(server.uri()).get("/health/ready").body();
  }
}
