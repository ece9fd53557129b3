package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What happens between an answer of the broker and the reading that relies on it. */
@Timeout(120)
class TopicReaderTest {
  private static final String TOPIC = "t";

  @TempDir Path folder;
  private KafkaBroker broker;
  private EventStore store;

  @BeforeEach
  void start() throws Exception {
    broker = KafkaBroker.start(folder.resolve("broker"));
    broker.createTopic(TOPIC, 1, Map.of());
    store =
        EventStore.open(folder.resolve("data"), StoreOptions.DEFAULT, () -> 1_000_000_000_000_000L);
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.address()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < 10; i++) {
        producer.send(new ProducerRecord<>(TOPIC, "n", new byte[] {1})).get();
      }
    }
  }

  @AfterEach
  void stop() {
    store.close();
    broker.close();
  }

  @Test
  void run_recordsRemovedJustBeforeTheyAreRead_stops() throws Exception {
    IngestState state = readAfterRemoval(StartFrom.STORED);

    assertThat(state.health.isStopped()).isTrue();
    assertThat(state.health.current().orElseThrow())
        .startsWith("records 0 to 3 of partition 0 of topic \"t\" were removed")
        .endsWith("start with --kafka-from available to go on without them");
    assertThat(state.records.sum()).isZero();
    assertThat(store.positions()).isEmpty();
  }

  @Test
  void run_recordsRemovedAndThatIsAccepted_goesOnAfterThem() throws Exception {
    IngestState state = readAfterRemoval(StartFrom.parse("available"));

    assertThat(state.health.isStopped()).isFalse();
    assertThat(state.skipped.foreignCount()).isEqualTo(6);
    assertThat(state.progress.lagCount()).isZero();
    assertThat(store.positions().values())
        .singleElement()
        .satisfies(position -> assertThat(position.next()).isEqualTo(10));
  }

  /** Reads until it stops or has reached the end. */
  private IngestState readAfterRemoval(StartFrom from) throws Exception {
    KafkaOptions options =
        KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), TOPIC).from(from);
    IngestState state = new IngestState(options, MonotonicClock.system(), 1_000_000_000);
    TopicReader reader = new TopicReader(options, store, state);
    try (TopicProbe probe = new TopicProbe(options, MonotonicClock.system())) {
      state.progress.probed(probe.ask(5_000));
      reader.follow();
    }
    broker.administer(
        admin ->
            admin
                .deleteRecords(
                    Map.of(new TopicPartition(TOPIC, 0), RecordsToDelete.beforeOffset(4)))
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
