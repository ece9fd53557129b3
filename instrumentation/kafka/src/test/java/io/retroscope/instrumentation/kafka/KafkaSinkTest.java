package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.LongValue;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real broker on loopback ports. */
class KafkaSinkTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  @Test
  void flush_brokerThere_everyEventIsInTheTopicOnce() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      KafkaSink sink = KafkaSink.builder(broker.address()).topic("events").build();
      try (Recorder recorder = Recorder.builder().node("zk1").sink(sink).build()) {
        EventLog log = recorder.log("setd");
        for (int version = 1; version <= 10_000; version++) {
          log.set("r1", version);
        }
        assertThat(recorder.flush(PATIENCE)).isTrue();
      }

      List<ConsumerRecord<String, byte[]>> records = readAll(broker, "events");

      assertThat(records).allSatisfy(record -> assertThat(record.key()).isEqualTo("zk1"));
      assertThat(versions(records))
          .containsExactlyElementsOf(LongStream.rangeClosed(1, 10_000).boxed().toList());
      ConsumerRecord<String, byte[]> first = records.get(0);
      assertThat(header(first, "node")).isEqualTo("zk1");
      assertThat(header(first, "block")).isEqualTo("1");
      assertThat(header(first, "incarnation")).isEqualTo(block(first).incarnation());
    }
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
    recorder.close();

    assertThat(sink.retryCount()).isPositive();
    assertThat(sink.lostEventCount()).isPositive();
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

  private static List<ConsumerRecord<String, byte[]>> readAll(KafkaBroker broker, String topic) {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.address());
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

  private static List<Long> versions(List<ConsumerRecord<String, byte[]>> records)
      throws Exception {
    List<Long> versions = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      EventBlock block = block(record);
      for (int i = 0; i < block.size(); i++) {
        Event event = block.event(i);
        if (event.body() instanceof EventBody.StateChange change
            && change.changes().get(0).value() instanceof LongValue version) {
          versions.add(version.value());
        }
      }
    }
    versions.sort(null);
    return versions;
  }

  private static EventBlock block(ConsumerRecord<String, byte[]> record) throws Exception {
    BlockFrame frame =
        EventBlockCodec.read(new ByteArrayInputStream(record.value()), 0).orElseThrow();
    return (EventBlock) frame;
  }

  private static String header(ConsumerRecord<String, byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
