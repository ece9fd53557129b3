// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.StoreOptions;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the store of a partition, as Kafka Streams uses it. */
@Timeout(120)
class PartitionStoreTest {
  private static final String TOPIC = "events";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final long NOW = TimeUnit.DAYS.toMicros(20_000);

  @TempDir Path folder;
  private long offset;

  private ConsumerRecord<byte[], byte[]> record(
      @Nullable String key, byte[] value, long arrivedMicros) {
    return new ConsumerRecord<>(
        TOPIC,
        0,
        offset++,
        TimeUnit.MICROSECONDS.toMillis(arrivedMicros),
        TimestampType.LOG_APPEND_TIME,
        ConsumerRecord.NULL_SIZE,
        ConsumerRecord.NULL_SIZE,
        key == null ? null : key.getBytes(StandardCharsets.UTF_8),
        value,
        new RecordHeaders(),
        Optional.empty());
  }

  private static byte[] block(int number, long micros) {
    Change change = new Change(Operation.SET, "x", Value.of(number));
    Event event = new Event("n", "l", HlcTimestamp.pack(micros), new StateChange(List.of(change)));
    return EventBlockCodec.encode(
        new EventBlockBuilder().incarnation("i", number).add(event).build());
  }

  private StateStoreContext context(Path state) {
    return (StateStoreContext)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StateStoreContext.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "taskId" -> new TaskId(0, 0);
                  case "stateDir" -> state.toFile();
                  default -> null;
                });
  }

  private static PartitionView view(PartitionStore store) {
    try (StoredPart part = store.part().orElseThrow()) {
      return new PartitionView(
          part.facts().nodes().stream().mapToLong(node -> node.eventCount()).sum(),
          part.doubts(HlcRange.ALL).reasons().stream()
              .filter(Incompleteness.Quarantined.class::isInstance)
              .count());
    }
  }

  private record PartitionView(long events, long quarantines) {}

  @Test
  void records_asStreamsGivesThem_areStoredOnceWhateverTheServersClock() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 1, ClusterFixture.SETTINGS);
      KafkaOptions options = KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), TOPIC);
      try (EventTopic topic = EventTopic.open(options, MonotonicClock.system())) {
        PartitionView late = store(topic, "late", () -> NOW + TimeUnit.DAYS.toMicros(1));
        offset = 0;
        PartitionView early = store(topic, "early", () -> NOW - TimeUnit.DAYS.toMicros(1));
        assertThat(early).as("the clock of the server does not matter").isEqualTo(late);

        removeTenRecords(broker);
        PartitionStore overtaken = partitionStore(topic, () -> NOW, new Partitions(""));
        StateStoreContext context = context(folder.resolve("late"));
        assertThatThrownBy(() -> overtaken.init(context, overtaken))
            .isInstanceOf(KafkaIngestException.class)
            .hasMessageContaining("records 5 to 9 of partition 0")
            .hasMessageContaining("nothing was deleted or skipped");
      }
    }
  }

  /** Afterwards the topic begins at offset 10. */
  private static void removeTenRecords(KafkaBroker broker) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.address());
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        Admin admin = Admin.create(settings)) {
      for (int i = 0; i < 10; i++) {
        var unused = producer.send(new ProducerRecord<>(TOPIC, new byte[] {1}, new byte[] {1}));
      }
      producer.flush();
      admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(-1))).all().get();
    }
  }

  private static PartitionStore partitionStore(
      EventTopic topic, PhysicalClock clock, Partitions partitions) {
    return new PartitionStore(
        new PartitionStore.Settings(
            topic, partitions, StoreOptions.DEFAULT, clock, MonotonicClock.system()));
  }

  private PartitionView store(EventTopic topic, String name, PhysicalClock clock) {
    Partitions partitions = new Partitions(topic.id().toString());
    PartitionStore store = partitionStore(topic, clock, partitions);
    store.init(context(folder.resolve(name)), store);
    assertThat(store.committedOffset(PARTITION)).isNull();
    store.add(record("n", block(1, NOW), NOW));
    store.add(record("n", block(2, NOW + 1_000), NOW));
    store.add(record(null, block(3, NOW + 2_000), NOW));
    store.add(record("other", block(4, NOW + 3_000), NOW));
    store.add(record("n", block(5, NOW + TimeUnit.HOURS.toMicros(1)), NOW));
    store.commit(Map.of(PARTITION, 4L));
    assertThat(store.committedOffset(PARTITION)).isEqualTo(4);
    PartitionView stored = view(store);
    assertThat(stored).isEqualTo(new PartitionView(2, 1));

    // Streams takes the store for corrupt: it reads everything again.
    store.commit(Map.of());
    assertThat(store.committedOffset(PARTITION)).isNull();
    offset = 0;
    store.add(record("n", block(1, NOW), NOW));
    store.commit(Map.of(PARTITION, 0L));
    assertThat(store.committedOffset(PARTITION)).isEqualTo(4);
    assertThat(view(store)).isEqualTo(stored);

    StoredPart open = store.part().orElseThrow();
    store.close();
    assertThat(store.part()).isEmpty();
    assertThat(partitions.offsets()).isEmpty();
    open.close();
    return stored;
  }
}
