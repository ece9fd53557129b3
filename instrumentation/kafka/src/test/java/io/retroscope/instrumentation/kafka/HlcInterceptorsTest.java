// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests with a real broker on loopback ports, and a topic for each test. */
class HlcInterceptorsTest extends CarrierContract {
  private static final long DEADLINE_SECONDS = 30;
  private static final AtomicInteger TOPICS = new AtomicInteger();

  @RegisterExtension static final SharedBroker broker = new SharedBroker();

  private final String topic = "orders-" + TOPICS.incrementAndGet();

  private ConsumerRecord<String, String> carry(
      boolean traced, ProducerRecord<String, String> record) throws Exception {
    try (KafkaProducer<String, String> producer = producer(traced)) {
      producer.send(record).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    ConsumerRecord<String, String> received = poll();
    arrived();
    return received;
  }

  private ProducerRecord<String, String> order() {
    return new ProducerRecord<>(topic, "k", "v");
  }

  @Override
  protected void carry() throws Exception {
    ConsumerRecord<String, String> received = carry(true, order());
    assertThat(HlcContext.fromBytes(header(received))).isPresent();
  }

  @Override
  protected void carryUntraced() throws Exception {
    assertThat(carry(false, order()).headers().lastHeader("x-hlc")).isNull();
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    ProducerRecord<String, String> record = order();
    record.headers().add("x-hlc", stamp.getBytes(StandardCharsets.UTF_8));
    carry(false, record);
  }

  @Test
  void record_sentTwice_carriesOneStamp() throws Exception {
    ProducerRecord<String, String> record = order();
    record.headers().add("x-hlc", new byte[] {1});

    ConsumerRecord<String, String> received = carry(true, record);

    assertThat(received.headers().headers("x-hlc")).hasSize(1);
    assertThat(HlcContext.fromBytes(header(received))).isPresent();
  }

  @Test
  void onConsume_atTheEdge_followsUnlessTheConsumerSaysOtherwise() {
    try (Recorder edge =
        Recorder.builder().node("edge").sink(new MemorySink()).trustRemote(false).build()) {
      long ahead = HlcTimestamp.pack(HlcTimestamp.micros(edge.tick()) + 2_000_000);

      consume(ahead, Map.of(HlcRecorderSetting.RECORDER, edge, HlcRecorderSetting.TRUST, "off"));
      assertThat(edge.tick()).isLessThan(ahead);
      assertThat(edge.statistics().untrusted()).isEqualTo(1);

      consume(ahead, Map.of(HlcRecorderSetting.RECORDER, edge));
      assertThat(edge.tick()).isGreaterThan(ahead);
    }
  }

  private static void consume(long hlc, Map<String, ?> settings) {
    ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, 0, "k", "v");
    record.headers().add(HlcContext.HEADER, HlcContext.toBytes(hlc));
    try (HlcConsumerInterceptor<String, String> interceptor = new HlcConsumerInterceptor<>()) {
      interceptor.configure(settings);
      interceptor.onConsume(
          new ConsumerRecords<>(
              Map.of(new TopicPartition("orders", 0), List.of(record)), Map.of()));
    }
  }

  private KafkaProducer<String, String> producer(boolean traced) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.address());
    if (traced) {
      settings.put("interceptor.classes", HlcProducerInterceptor.class.getName());
      settings.put(HlcRecorderSetting.RECORDER, sender);
    }
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  /** Returns the next record, and commits that it was consumed. */
  private ConsumerRecord<String, String> poll() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.address());
    settings.put("group.id", "test-" + topic);
    settings.put("auto.offset.reset", "earliest");
    settings.put("interceptor.classes", HlcConsumerInterceptor.class.getName());
    settings.put(HlcRecorderSetting.RECORDER, receiver);
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      for (int second = 0; second < DEADLINE_SECONDS && records.isEmpty(); second++) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
      consumer.commitSync();
    }
    assertThat(records).hasSize(1);
    return records.get(0);
  }

  private static byte[] header(ConsumerRecord<String, String> record) {
    return record.headers().lastHeader("x-hlc").value();
  }
}
