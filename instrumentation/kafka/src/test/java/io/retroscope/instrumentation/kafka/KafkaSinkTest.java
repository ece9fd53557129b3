// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value.LongValue;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a real broker on loopback ports. */
class KafkaSinkTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @RegisterExtension static final SharedBroker broker = new SharedBroker();

  @TempDir Path folder;

  @Test
  void flush_brokerThere_everyEventIsInTheTopicOnce() throws Exception {
    KafkaSink sink = KafkaSink.builder(broker.address()).topic("events").build();
    try (Recorder recorder = Recorder.builder().node("zk1").sink(sink).build()) {
      EventLog log = recorder.log("setd");
      for (int version = 1; version <= 10_000; version++) {
        log.set("r1", version);
      }
      assertThat(recorder.flush(PATIENCE)).isTrue();
    }

    List<ConsumerRecord<String, byte[]>> records = readAll(broker.address(), "events");

    assertThat(records).allSatisfy(record -> assertThat(record.key()).isEqualTo("zk1"));
    assertThat(versions(records))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 10_000).boxed().toList());
    ConsumerRecord<String, byte[]> first = records.get(0);
    assertThat(header(first, "node")).isEqualTo("zk1");
    assertThat(header(first, "block")).isEqualTo("1");
    assertThat(header(first, "incarnation")).isEqualTo(((EventBlock) frame(first)).incarnation());
  }

  @Test
  void close_noBroker_isBoundedAndCountsTheLoss() {
    KafkaSink sink =
        KafkaSink.builder("127.0.0.1:1")
            .deliveryTimeout(Duration.ofMillis(300))
            .backoff(Duration.ofMillis(10), Duration.ofMillis(50))
            .closeTimeout(Duration.ofMillis(500))
            .build();
    Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
    recorder.log("setd").set("r1", 1);

    assertThat(recorder.flush(Duration.ofSeconds(1))).isFalse();
    await().atMost(PATIENCE).until(() -> sink.statistics().retries() > 0);
    recorder.close();

    assertThat(sink.lostEventCount()).isPositive();
  }

  @Test
  void accept_brokerComesLate_spillArrivesAndWhatHadNoRoomIsDeclared() throws Exception {
    int port = KafkaBroker.freePort();
    KafkaSinkBuilder builder =
        KafkaSink.builder("127.0.0.1:" + port)
            .topic("events")
            .deliveryTimeout(Duration.ofMillis(500))
            .backoff(Duration.ofMillis(50), Duration.ofMillis(200))
            .maxMemoryBytes(20_000)
            .spill(folder.resolve("spill"), 9 << 20);
    String padding = "x".repeat(1_000);
    KafkaSink sink = builder.build();
    try (Recorder recorder = Recorder.builder().node("zk1").sink(sink).build()) {
      EventLog log = recorder.log("setd");
      for (int version = 1; version <= 12_000; version++) {
        log.set("r1", version);
        log.set("text", version + padding);
        if (version % 500 == 0) {
          // A block may hold a megabyte; this makes many blocks.
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
      assertThat(recorder.statistics().dropped()).isZero();
      KafkaBroker.Builder late = KafkaBroker.in(folder.resolve("broker")).port(port);
      // Otherwise the waiting sink may cause the topic to be created with other settings.
      try (KafkaBroker broker = late.setting("auto.create.topics.enable", "false").start()) {
        broker.createTopic("events", 1, Map.of("max.message.bytes", "16777216"));
        await().atMost(PATIENCE).until(() -> recorder.flush(Duration.ofSeconds(1)));
        List<ConsumerRecord<String, byte[]>> records =
            distinct(readAll(broker.address(), "events"));
        assertThat(sink.lostEventCount()).isPositive();
        assertThat(declaredLost(records)).isEqualTo(sink.lostEventCount());
        assertThat(versions(records)).doesNotHaveDuplicates().endsWith(12_000L);
        // Each version is two events, plus one for the incarnation's start.
        assertThat(eventCount(records) + sink.lostEventCount()).isEqualTo(2 * 12_000 + 1);
      }
    }
  }

  @Test
  void build_settingThatKafkaRefuses_namesIt() {
    assertThatThrownBy(
            () ->
                KafkaSink.builder("127.0.0.1:1")
                    .settings(Map.of("security.protocol", "CARRIER_PIGEON"))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("security.protocol");
  }

  static List<ConsumerRecord<String, byte[]>> readAll(String brokers, String topic) {
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers);
    List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      for (int i = 0; i < 100 && consumer.position(partition) < end; i++) {
        consumer.poll(Duration.ofMillis(500)).forEach(records::add);
      }
    }
    return records;
  }

  /** The distinct records, because a send whose acknowledgement was lost is retried. */
  private static List<ConsumerRecord<String, byte[]>> distinct(
      List<ConsumerRecord<String, byte[]>> records) {
    Map<ByteBuffer, ConsumerRecord<String, byte[]>> byContent = new LinkedHashMap<>();
    records.forEach(record -> byContent.putIfAbsent(ByteBuffer.wrap(record.value()), record));
    return List.copyOf(byContent.values());
  }

  private static List<Long> versions(List<ConsumerRecord<String, byte[]>> records)
      throws Exception {
    List<Long> versions = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      for (Event event : events(record)) {
        if (event.body() instanceof EventBody.StateChange change
            && change.changes().get(0).value() instanceof LongValue version) {
          versions.add(version.value());
        }
      }
    }
    versions.sort(null);
    return versions;
  }

  private static long eventCount(List<ConsumerRecord<String, byte[]>> records) throws Exception {
    long count = 0;
    for (ConsumerRecord<String, byte[]> record : records) {
      count += events(record).size();
    }
    return count;
  }

  private static long declaredLost(List<ConsumerRecord<String, byte[]>> records) throws Exception {
    long count = 0;
    for (ConsumerRecord<String, byte[]> record : records) {
      count += frame(record) instanceof LostBlocks lost ? lost.eventCount() : 0;
    }
    return count;
  }

  private static List<Event> events(ConsumerRecord<String, byte[]> record) throws Exception {
    return frame(record) instanceof EventBlock block ? block.events() : List.of();
  }

  static BlockFrame frame(ConsumerRecord<String, byte[]> record) throws Exception {
    return EventBlockCodec.read(new ByteArrayInputStream(record.value()), 0).orElseThrow();
  }

  private static String header(ConsumerRecord<String, byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
