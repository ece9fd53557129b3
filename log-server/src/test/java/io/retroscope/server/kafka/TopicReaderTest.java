// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.RejectedInput;
import io.retroscope.server.store.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of changes between an answer of the broker and the read that relies on it. */
@Timeout(120)
class TopicReaderTest {
  @TempDir static Path brokerFolder;
  private static KafkaBroker broker;
  private static int topics;

  @TempDir Path folder;
  private String topic;
  private EventStore store;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(brokerFolder);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void start() throws Exception {
    topic = "t" + ++topics;
    broker.createTopic(topic, 1, Map.of());
    store =
        EventStore.open(folder.resolve("data"), StoreOptions.DEFAULT, () -> 1_000_000_000_000_000L);
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < 10; i++) {
        producer.send(new ProducerRecord<>(topic, "n", new byte[] {1})).get();
      }
    }
  }

  @AfterEach
  void stop() {
    store.close();
  }

  @Test
  void run_recordsRemovedJustBeforeTheyAreRead_stops() throws Exception {
    IngestState state = readAfterRemoval(StartFrom.STORED);

    assertThat(state.health.isStopped()).isTrue();
    assertThat(state.health.current().orElseThrow())
        .startsWith("records 0 to 3 of partition 0 of topic \"%s\" were removed".formatted(topic))
        .endsWith("start with --kafka-from available to go on without them");
    assertThat(state.records.sum()).isZero();
    assertThat(store.positions()).isEmpty();
  }

  @Test
  void run_recordsRemovedAndThatIsAccepted_continuesAfterThem() throws Exception {
    IngestState state = readAfterRemoval(StartFrom.parse("available"));

    assertThat(state.health.isStopped()).isFalse();
    assertThat(state.skipped.foreignCount()).isEqualTo(6);
    assertThat(state.progress.lagCount()).isZero();
    assertThat(store.positions().values())
        .singleElement()
        .satisfies(position -> assertThat(position.next()).isEqualTo(10));
  }

  @Test
  void run_damagedAndContradictingRecords_areKeptRawAndTheRestIsRead() throws Exception {
    byte[] good = block(1, 1);
    byte[] damaged = block(2, 2);
    damaged[20] ^= 1;
    byte[] other = block(1, 7);
    byte[] last = block(3, 3);
    send(good, damaged, other, last);
    IngestState state = read(StartFrom.STORED, 14);

    Path rejected = folder.resolve("data").resolve(RejectedInput.FOLDER);
    assertThat(rejected.resolve("kafka-" + topic + "-0-11.bin")).hasBinaryContent(damaged);
    assertThat(rejected.resolve("kafka-" + topic + "-0-12.bin")).hasBinaryContent(other);
    assertThat(rejected.resolve("kafka-" + topic + "-0-11.txt"))
        .content()
        .startsWith("topic " + topic + ", partition 0, offset 11: ");
    assertThat(state.skipped.refusedCount()).isEqualTo(2);
    assertThat(state.skipped.foreignCount()).isEqualTo(10);
    assertThat(store.figures().blockCount()).isEqualTo(2);
    assertThat(store.positions().values())
        .singleElement()
        .satisfies(position -> assertThat(position.next()).isEqualTo(14));
  }

  @Test
  void run_damagedRecordCannotBeKept_storesNoPositionAfterIt() throws Exception {
    byte[] damaged = block(1, 1);
    damaged[20] ^= 1;
    send(damaged, block(2, 2));
    assertWaitsBefore(10, 12);
    assertThat(store.figures().blockCount()).isEqualTo(1);
  }

  @Test
  void run_contradictingRecordCannotBeKept_storesNoPositionAfterIt() throws Exception {
    send(block(1, 1));
    IngestState unused = read(StartFrom.STORED, 11);
    send(block(1, 7), block(2, 2));
    assertWaitsBefore(11, 13);
    assertThat(store.figures().blockCount()).isEqualTo(2);
  }

  /** Checks that no position after a rejected record is stored until the record can be kept. */
  private void assertWaitsBefore(long rejected, long end) throws Exception {
    Path obstacle = Files.createFile(folder.resolve("data").resolve(RejectedInput.FOLDER));
    IngestState state =
        new IngestState(options(StartFrom.STORED), MonotonicClock.system(), 1_000_000_000);
    Thread thread = startReader(state, options(StartFrom.STORED));
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> state.health.current().filter(s -> s.contains("cannot keep")).isPresent());
    assertThat(store.positions().values()).allMatch(position -> position.next() <= rejected);

    Files.delete(obstacle);
    awaitEnd(state, end);
    stop(state, thread);
  }

  private static byte[] block(long number, long value) {
    EventBody.Change set = new EventBody.Change(EventBody.Operation.SET, "x", Value.of(value));
    Event event =
        new Event(
            "n", "l", HlcTimestamp.pack(1_000 * number), new EventBody.StateChange(List.of(set)));
    return EventBlockCodec.encode(
        new EventBlockBuilder().incarnation("i", number).add(event).build());
  }

  private void send(byte[]... values) throws Exception {
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      for (byte[] value : values) {
        producer.send(new ProducerRecord<>(topic, "n", value)).get();
      }
    }
  }

  private IngestState read(StartFrom from, long end) throws Exception {
    IngestState state = new IngestState(options(from), MonotonicClock.system(), 1_000_000_000);
    Thread thread = startReader(state, options(from));
    awaitEnd(state, end);
    stop(state, thread);
    return state;
  }

  private KafkaOptions options(StartFrom from) {
    return KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), topic).from(from);
  }

  private Thread startReader(IngestState state, KafkaOptions options) throws Exception {
    TopicReader reader = new TopicReader(options, store, state);
    try (TopicProbe probe = new TopicProbe(options, MonotonicClock.system())) {
      state.progress.probed(probe.query(5_000));
    }
    Thread thread = new Thread(reader, "reader");
    thread.start();
    return thread;
  }

  private static void awaitEnd(IngestState state, long end) {
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> List.of(end).equals(List.copyOf(nextOffsets(state).values())));
  }

  private static void stop(IngestState state, Thread thread) throws InterruptedException {
    state.close();
    thread.join();
  }

  /** Reads until it stops or has reached the end. */
  private IngestState readAfterRemoval(StartFrom from) throws Exception {
    KafkaOptions options =
        KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), topic).from(from);
    IngestState state = new IngestState(options, MonotonicClock.system(), 1_000_000_000);
    TopicReader reader = new TopicReader(options, store, state);
    try (TopicProbe probe = new TopicProbe(options, MonotonicClock.system())) {
      state.progress.probed(probe.query(5_000));
      reader.follow();
    }
    broker.administer(
        admin ->
            admin
                .deleteRecords(
                    Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(4)))
                .all()
                .get());
    Thread thread = new Thread(reader, "reader");
    thread.start();
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () ->
                state.health.isStopped()
                    || List.of(10L).equals(List.copyOf(nextOffsets(state).values())));
    state.close();
    reader.wakeUp();
    thread.join();
    return state;
  }

  private static Map<Integer, Long> nextOffsets(IngestState state) {
    return state.progress.next(state.progress.topicId());
  }
}
