// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.ForgottenNode;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
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
@Timeout(60)
class PartitionStoreTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOPIC = "events";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final long NOW = TimeUnit.DAYS.toMicros(20_000);

  /** The runs that a store accepts with the smallest memory. */
  private static final int MOST_RUNS = 1_000;

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
    return block("n", number, micros);
  }

  private static byte[] block(String node, int number, long micros) {
    Change change = new Change(Operation.SET, "x", Value.of(number));
    Event event = new Event(node, "l", HlcTimestamp.pack(micros), new StateChange(List.of(change)));
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
              .count(),
          reported(part),
          runs(store));
    }
  }

  /** The runs as they are stored. */
  private static Set<String> runs(PartitionStore store) {
    Optional<News> all = store.news().orElseThrow().since(new Known(0, 0, 0, 0));
    return all.stream()
        .flatMap(news -> news.runs().stream())
        .map(run -> run.node() + " " + run.incarnation() + " " + Arrays.toString(run.state()))
        .collect(Collectors.toSet());
  }

  private static Set<String> reported(StoredPart part) {
    return part.doubts(HlcRange.ALL).reasons().stream()
        .filter(Incompleteness.Reported.class::isInstance)
        .map(reason -> reason.nodes() + " " + reason.sentence())
        .collect(Collectors.toSet());
  }

  private record PartitionView(
      long events, long quarantines, Set<String> reported, Set<String> runs) {}

  /** What each answer says of records that were acknowledged and are not stored. */
  private static final Set<String> REFUSED =
      Set.of(
          "[] records of partition 0 without a key, or marks of a transaction, were left out:"
              + " the key of a record must be the name of its node",
          "[n] record 3 of partition 0 was acknowledged and refused: its key is not the name of the"
              + " one node of its events",
          "[n] record 5 of partition 0 was acknowledged and refused: block 2 of node \"n\","
              + " incarnation \"i\", is already stored with different content",
          "[n] record 7 of partition 0 was acknowledged and refused: node \"n\", incarnation \"i\","
              + " was forgotten and is not accepted any more: start the node again");

  @Test
  void records_asStreamsGivesThem_areStoredOnceWhateverTheServersClock() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 1, ClusterFixture.SETTINGS);
      KafkaOptions options = KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), TOPIC);
      try (EventTopic topic = EventTopic.open(options, MonotonicClock.system())) {
        PartitionView late = store(topic, "late", () -> NOW + TimeUnit.DAYS.toMicros(1), true);
        offset = 0;
        PartitionView early = store(topic, "early", () -> NOW - TimeUnit.DAYS.toMicros(1), false);
        assertThat(early).as("the clock of the server does not matter").isEqualTo(late);

        removeTenRecords(broker);
        PartitionStore overtaken = partitionStore(topic, () -> NOW, new Partitions(""));
        StateStoreContext context = context(folder.resolve("late"));
        assertThatThrownBy(() -> overtaken.init(context, overtaken))
            .isInstanceOf(KafkaIngestException.class)
            .hasMessageContaining("records 8 to 9 of partition 0")
            .hasMessageContaining("nothing was deleted or skipped");
        assertNewStoreSaysWhatWasRemoved(topic);
      }
    }
  }

  private void assertNewStoreSaysWhatWasRemoved(EventTopic topic) throws Exception {
    Partitions partitions = new Partitions(topic.id().toString());
    PartitionStore store = partitionStore(topic, () -> NOW, partitions);
    store.init(context(folder.resolve("new")), store);
    store.commit(Map.of(PARTITION, 9L));
    assertThat(view(store).reported())
        .containsExactly(
            "[] records 0 to 9 of partition 0 were removed from the topic before this store"
                + " began");
    assertReadingsAreClosed(partitions, topic);
    assertThat(absentFrom(partitions, topic, 0)).isEmpty();
    assertThat(absentFrom(partitions, topic, 11))
        .as("another server knows more")
        .containsExactly(0);
    assertThat(partitions.open(new Opening(topic.id().toString(), 0, 11)))
        .as("acknowledged records are missing here")
        .isEmpty();
    assertEndsTheWaitForNews(store, partitions, topic);
  }

  /** A server that follows the partition learns at once that it is not here any more. */
  private static void assertEndsTheWaitForNews(
      PartitionStore store, Partitions partitions, EventTopic topic) throws Exception {
    News last = store.news().orElseThrow().since(new Known(0, 0, 0, 0)).orElseThrow();
    Known all = new Known(0, last.feed(), last.number(), last.offset());
    List<Integer> absent = new CopyOnWriteArrayList<>();
    Thread waiting =
        new Thread(
            () -> absent.addAll(absentFrom(partitions, topic, all, PATIENCE.toMillis() * 10)));
    waiting.start();
    await().atMost(PATIENCE).until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    store.close();
    waiting.join(PATIENCE.toMillis());
    assertThat(absent).containsExactly(0);
  }

  /** The partitions of which there are no news for a server that knows it up to an offset. */
  private static List<Integer> absentFrom(Partitions partitions, EventTopic topic, long offset) {
    return absentFrom(partitions, topic, new Known(0, 0, 0, offset), 0);
  }

  private static List<Integer> absentFrom(
      Partitions partitions, EventTopic topic, Known known, long waitMillis) {
    NewsRequest request = new NewsRequest(topic.id().toString(), List.of(known), waitMillis);
    try {
      return partitions.await(request, MonotonicClock.system()).absent();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertReadingsAreClosed(Partitions partitions, EventTopic topic)
      throws Exception {
    AtomicLong clock = new AtomicLong();
    try (Readings readings = new Readings(partitions, ClusterFixture.TOKEN, clock::get)) {
      Opening opening = new Opening(topic.id().toString(), 0, 10);
      assertThat(readings.open(ClusterJson.MAPPER.writeValueAsBytes(opening))).isNotEmpty();
      readings.closeUnused();
      assertThat(readings.openCount()).isEqualTo(1);
      clock.addAndGet(TimeUnit.SECONDS.toNanos(61));
      readings.closeUnused();
      assertThat(readings.openCount()).isZero();
    }
  }

  /** A copy with a larger heap stores it, so that this one must not skip it. */
  @Test
  void record_tooLargeForThisServer_isHeldAndNotSkipped() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 1, ClusterFixture.SETTINGS);
      KafkaOptions options = KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), TOPIC);
      try (EventTopic topic = EventTopic.open(options, MonotonicClock.system())) {
        StoreOptions small = new StoreOptions(0, new MemoryBudget(1 << 20), 60_000_000);
        PartitionStore store =
            new PartitionStore(
                new PartitionStore.Settings(
                    topic, new Partitions(""), small, () -> NOW, MonotonicClock.system()));
        store.init(context(folder.resolve("small")), store);
        store.add(record("n", block(1, NOW), NOW));
        ConsumerRecord<byte[], byte[]> large = record("n", largeBlock(), NOW);
        Thread writing =
            new Thread(
                () ->
                    assertThatThrownBy(() -> store.add(large)).isInstanceOf(WakeupException.class));
        writing.start();
        await().atMost(PATIENCE).until(() -> store.trouble().isPresent());
        assertThat(store.trouble().orElseThrow())
            .contains("record 1 of partition 0 cannot be stored by this server")
            .contains("larger heap");
        assertThat(store.next()).isEqualTo(1);
        assertThat(view(store).reported()).isEmpty();
        store.close();
        writing.join();
        assertTooManyRunsAreHeld(topic);
      }
    }
  }

  private void assertTooManyRunsAreHeld(EventTopic topic) throws Exception {
    offset = 0;
    StoreOptions shared = new StoreOptions(0, new MemoryBudget(8 << 20), 60_000_000).sharedBy(2);
    PartitionStore store =
        new PartitionStore(
            new PartitionStore.Settings(
                topic, new Partitions(""), shared, () -> NOW, MonotonicClock.system()));
    store.init(context(folder.resolve("runs")), store);
    Thread writing =
        new Thread(
            () ->
                assertThatThrownBy(
                        () -> {
                          for (int i = 0; i <= MOST_RUNS; i++) {
                            store.add(record("n" + i, block("n" + i, 1, NOW), NOW));
                          }
                          store.commit(Map.of(PARTITION, 1L));
                        })
                    .isInstanceOf(WakeupException.class));
    writing.start();
    await().atMost(PATIENCE).until(() -> store.trouble().isPresent());
    assertThat(store.trouble().orElseThrow()).contains("node \"n1000\" cannot be added");
    assertThat(store.next()).isLessThanOrEqualTo(MOST_RUNS);
    store.close();
    writing.join();
  }

  private static byte[] largeBlock() {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", 2);
    for (int i = 0; i < 10_000; i++) {
      Change change = new Change(Operation.SET, "x" + i, Value.of("text " + i));
      builder.add(
          new Event("n", "l", HlcTimestamp.pack(NOW + i), new StateChange(List.of(change))));
    }
    return EventBlockCodec.encode(builder.build());
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

  /**
   * What a store has.
   *
   * @param owned whether records without a key are given to it, which a copy does not get
   */
  private PartitionView store(EventTopic topic, String name, PhysicalClock clock, boolean owned) {
    Partitions partitions = new Partitions(topic.id().toString());
    PartitionStore store = partitionStore(topic, clock, partitions);
    store.init(context(folder.resolve(name)), store);
    assertThat(store.committedOffset(PARTITION)).isNull();
    store.add(record("n", block(1, NOW), NOW));
    store.add(record("n", block(2, NOW + 1_000), NOW));
    ConsumerRecord<byte[], byte[]> keyless = record(null, block(3, NOW + 2_000), NOW);
    if (owned) {
      store.add(keyless);
    }
    store.add(record("other", block(4, NOW + 3_000), NOW));
    store.add(record("n", block(5, NOW + TimeUnit.HOURS.toMicros(1)), NOW));
    store.add(record("n", block(2, NOW + 4_000), NOW));
    store.add(record("n", ForgottenNode.value(), NOW));
    store.add(record("n", block(6, NOW + 5_000), NOW));
    store.commit(Map.of(PARTITION, 7L));
    assertThat(store.committedOffset(PARTITION)).isEqualTo(7);
    PartitionView stored = view(store);
    assertThat(stored).isEqualTo(new PartitionView(3, 1, REFUSED, runs(store)));
    assertThat(stored.runs()).hasSize(1);

    // Streams takes the store for corrupt: it reads everything again.
    store.commit(Map.of());
    assertThat(store.committedOffset(PARTITION)).isNull();
    offset = 0;
    store.add(record("n", block(1, NOW), NOW));
    store.commit(Map.of(PARTITION, 0L));
    assertThat(store.committedOffset(PARTITION)).isEqualTo(7);
    assertThat(view(store)).isEqualTo(stored);

    StoredPart open = store.part().orElseThrow();
    store.close();
    assertThat(store.part()).isEmpty();
    assertThat(partitions.offsets()).isEmpty();
    open.close();
    return stored;
  }
}
