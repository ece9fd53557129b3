package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.context.HlcContext;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a real broker on loopback ports; the consumer's clock is five seconds slow. */
class HlcInterceptorsTest {
  private static final long DEADLINE_SECONDS = 30;

  @TempDir static Path folder;
  private static KafkaBroker broker;

  private final MemorySink producerSink = new MemorySink();
  private final MemorySink consumerSink = new MemorySink();
  private final Recorder producerSide =
      Recorder.builder().node("producer").sink(producerSink).build();
  private final Recorder consumerSide =
      Recorder.builder()
          .node("consumer")
          .physicalClock(PhysicalClock.system().skewedBy(-5_000_000))
          .sink(consumerSink)
          .build();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @AfterEach
  void close() {
    producerSide.close();
    consumerSide.close();
  }

  @Test
  void record_consumerBehind_isReceivedAboveItsSend() throws Exception {
    try (KafkaProducer<String, String> producer = producer(true)) {
      producer
          .send(new ProducerRecord<>("orders", "k", "v"))
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    List<ConsumerRecord<String, String>> records = poll("orders", 1);

    long sent = HlcContext.fromBytes(header(records.get(0))).orElseThrow();
    assertThat(consumerSide.tick()).isGreaterThan(sent);
    Event send = only(producerSink, producerSide, EventBody.Send.class);
    Event receive = only(consumerSink, consumerSide, EventBody.Receive.class);
    assertThat(send.hlc()).isEqualTo(sent);
    assertThat(receive.hlc()).isGreaterThan(sent);
    assertThat(((EventBody.Receive) receive.body()).id())
        .isEqualTo(((EventBody.Send) send.body()).id());
  }

  @Test
  void record_producerWithoutInterceptor_isConsumedAsItIs() throws Exception {
    try (KafkaProducer<String, String> producer = producer(false)) {
      producer
          .send(new ProducerRecord<>("plain", "k", "v"))
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    assertThat(poll("plain", 1).get(0).headers().lastHeader("x-hlc")).isNull();
    assertThat(all(consumerSink, consumerSide, EventBody.Receive.class)).isEmpty();
  }

  @Test
  void record_sentTwice_carriesOneStamp() throws Exception {
    ProducerRecord<String, String> record = new ProducerRecord<>("twice", "k", "v");
    record.headers().add("x-hlc", new byte[] {1});
    try (KafkaProducer<String, String> producer = producer(true)) {
      producer.send(record).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    ConsumerRecord<String, String> received = poll("twice", 1).get(0);

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
      settings.put(HlcRecorderSetting.RECORDER, producerSide);
    }
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private List<ConsumerRecord<String, String>> poll(String topic, int count) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.address());
    settings.put("group.id", "test-" + topic);
    settings.put("auto.offset.reset", "earliest");
    settings.put("interceptor.classes", HlcConsumerInterceptor.class.getName());
    settings.put(HlcRecorderSetting.RECORDER, consumerSide);
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      for (int second = 0; second < DEADLINE_SECONDS && records.size() < count; second++) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
    }
    assertThat(records).hasSize(count);
    return records;
  }

  private static byte[] header(ConsumerRecord<String, String> record) {
    return record.headers().lastHeader("x-hlc").value();
  }

  private static Event only(MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    List<Event> events = all(sink, recorder, kind);
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  private static List<Event> all(
      MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream().filter(event -> kind.isInstance(event.body())).toList();
  }
}
