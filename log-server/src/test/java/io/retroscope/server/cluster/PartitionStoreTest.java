// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
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
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.ForgottenNode;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.QuarantineAccess.QuarantinedEvents;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of the store of a partition, as Kafka Streams uses it. */
@Timeout(180)
class PartitionStoreTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOPIC = "events";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final long NOW = TimeUnit.DAYS.toMicros(20_000);
  private static final long FIRST = HlcTimestamp.MIN_PACKED;
  private static final long LAST = HlcTimestamp.MAX_PACKED;
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final long DAY = TimeUnit.DAYS.toMicros(1);

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

  private static Partitions partitions(String topicId) {
    return new Partitions(topicId, MemoryBudget.ofProcess());
  }

  @Test
  void records_asStreamsGivesThem_areStoredOnceWhateverTheServersClock() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 1, ClusterFixture.SETTINGS);
      KafkaOptions options = KafkaOptions.of(Map.of("bootstrap.servers", broker.address()), TOPIC);
      try (EventTopic topic = EventTopic.open(options, MonotonicClock.system())) {
        PartitionView late = store(topic, "late", () -> NOW + DAY, true);
        offset = 0;
        PartitionView early = store(topic, "early", () -> NOW - DAY, false);
        assertThat(early).as("the clock of the server does not matter").isEqualTo(late);

        PartitionView removing = trimmed(topic, "removing", () -> NOW + DAY);
        assertThat(trimmed(topic, "other", () -> NOW - DAY)).isEqualTo(removing);
        PartitionView releasing = released(topic, "releasing", () -> NOW + DAY);
        assertThat(released(topic, "also", () -> NOW - DAY)).isEqualTo(releasing);

        assertStatesWhatLinesState(topic);

        removeTenRecords(broker);
        PartitionStore overtaken = partitionStore(topic, () -> NOW, partitions(""));
        StateStoreContext context = context(folder.resolve("late"));
        assertThatThrownBy(() -> overtaken.init(context, overtaken))
            .isInstanceOf(KafkaIngestException.class)
            .hasMessageContaining("records 8 to 9 of partition 0")
            .hasMessageContaining("nothing was deleted or skipped");
        assertNewStoreSaysWhatWasRemoved(topic);
        assertChangedSettingIsNoticed(topic, broker);
      }
    }
  }

  /** What a store has from which events were removed. */
  private PartitionView trimmed(EventTopic topic, String name, PhysicalClock clock) {
    offset = 0;
    Partitions partitions = new Partitions(topic.id().toString(), MemoryBudget.ofProcess());
    PartitionStore store = partitionStore(topic, clock, partitions);
    store.init(context(folder.resolve(name)), store);
    for (int i = 1; i <= 10; i++) {
      store.add(record("n", block(i, NOW - (10 - i) * HOUR), NOW));
    }
    store.add(record("old", block("old", 1, NOW - 9 * HOUR), NOW));
    store.commit(Map.of(PARTITION, 10L));
    Directive.Trim trim = new Directive.Trim(HlcTimestamp.pack(NOW - 6 * HOUR), 5 * HOUR);
    assertThat(store.overdue(trim, run -> true)).containsExactly(trim);
    store.add(directive(trim, NOW));
    store.add(record("n", block(11, NOW - 7 * HOUR), NOW));
    store.commit(Map.of(PARTITION, 12L));
    assertThat(view(store).events()).as("those of the last six hours, and a late one").isEqualTo(7);

    Directive.Trim tooLate = new Directive.Trim(HlcTimestamp.pack(NOW + HOUR), 5 * HOUR);
    store.add(directive(tooLate, NOW));
    assertThat(view(store).events()).as("those of the last five hours").isEqualTo(5);
    List<Directive> left = store.overdue(trim, run -> run.node().equals("n"));
    assertThat(left)
        .containsExactly(
            new Directive.Expire(List.of(new Incarnation.Name("old", "i")), List.of(), List.of()),
            new Directive.Expire(List.of(), List.of(), List.of("n")));
    for (Directive expire : left) {
      store.add(directive(expire, NOW));
    }
    store.add(record("old", block("old", 2, NOW), NOW));
    store.commit(Map.of(PARTITION, offset - 1));
    PartitionView stored = view(store);
    assertThat(stored.reported()).singleElement().asString().contains("was forgotten");
    assertThat(store.overdue(trim, run -> true))
        .as("what is left of a forgotten node")
        .containsExactly(new Directive.Expire(List.of(), List.of(), List.of("old")));
    store.close();
    return stored;
  }

  /** What a store has of whose quarantine some events were stored and others deleted. */
  private PartitionView released(EventTopic topic, String name, PhysicalClock clock)
      throws Exception {
    offset = 0;
    Partitions partitions = new Partitions(topic.id().toString(), MemoryBudget.ofProcess());
    PartitionStore store = partitionStore(topic, clock, partitions);
    store.init(context(folder.resolve(name)), store);
    store.add(record("n", block(1, NOW), NOW));
    store.add(record("n", block(2, NOW + HOUR), NOW));
    store.add(record("m", block("m", 1, NOW + 2 * HOUR), NOW));
    store.commit(Map.of(PARTITION, 2L));
    assertThat(quarantine(partitions, topic, 3).events())
        .containsExactlyInAnyOrder(quarantined("n", NOW + HOUR), quarantined("m", NOW + 2 * HOUR));
    News before = store.news().orElseThrow().since(new Known(0, 0, 0, 0)).orElseThrow();
    Known known = new Known(0, before.feed(), before.number(), before.offset());
    store.add(directive(new Directive.Quarantined(Set.of("n"), FIRST, LAST, true), NOW));
    store.commit(Map.of(PARTITION, 3L));
    assertThat(store.news().orElseThrow().since(known).orElseThrow().blocks())
        .as("what other servers learn of released events")
        .extracting(BlockNotice::firstHlc)
        .containsExactly(HlcTimestamp.pack(NOW + HOUR));
    store.add(directive(new Directive.Quarantined(Set.of(), FIRST, LAST, false), NOW));
    for (int i = 0; i < 100; i++) {
      store.add(directive(new Directive.Trim(HlcTimestamp.pack(NOW - DAY), DAY), NOW));
    }
    store.commit(Map.of(PARTITION, offset - 1));
    assertThat(quarantine(partitions, topic, 5))
        .isEqualTo(
            new PartQuarantine(
                List.of(), Map.of(3L, new Receipt(1, 0, 0), 4L, new Receipt(1, 0, 0))));
    PartitionView stored = view(store);
    assertThat(stored.events()).isEqualTo(2);
    try (StoredPart part = store.part().orElseThrow()) {
      assertThat(part.doubts(HlcRange.ALL).gaps())
          .as("what is deleted is lost")
          .extracting(Gap::node)
          .containsExactly("m");
    }
    store.close();
    return stored;
  }

  /** A store says what one server says that the same lines were sent to. */
  private void assertStatesWhatLinesState(EventTopic topic) {
    HlcRange range = new HlcRange(HlcTimestamp.pack(NOW - HOUR), HlcTimestamp.pack(NOW));
    Gap gap = new Gap("n", range, 17);
    Gap ofRun = new Gap("n", "i", range, 3);
    List<Incompleteness> reasons =
        List.of(
            new Incompleteness.CutOff("a file ended", new Incompleteness.Extent(Set.of(), range)),
            new Incompleteness.AfterEnd(range.to(), "complete only up to then", Set.of("n")));
    Submission.Lines lines =
        new Submission.Lines(List.of(), List.of(), List.of(gap, ofRun), reasons, 0);
    PartView.Doubts expected;
    try (EventStore one =
        EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system())) {
      Receipt unused = one.append(lines).join();
      try (View view = one.open(ClockOffsets.UNKNOWN)) {
        expected =
            new PartView.Doubts(
                view.gaps(HlcRange.ALL), view.reasons(HlcRange.ALL), List.of(), FIRST);
      }
    }
    assertThat(expected.gaps()).hasSize(2);
    assertThat(expected.reasons()).hasSize(2);
    offset = 0;
    PartitionStore store = partitionStore(topic, () -> NOW, partitions(topic.id().toString()));
    store.init(context(folder.resolve("stating")), store);
    for (int i = 0; i < 2; i++) {
      for (Directive stated : StatedLines.directives(lines, 1).get(0)) {
        store.add(directive(stated, NOW));
      }
    }
    store.commit(Map.of(PARTITION, offset - 1));
    try (StoredPart part = store.part().orElseThrow()) {
      assertThat(part.doubts(HlcRange.ALL)).isEqualTo(expected);
      assertThat(part.facts().lost()).isEqualTo(20);
    }
    store.close();
  }

  private static QuarantinedEvents quarantined(String node, long micros) {
    return new QuarantinedEvents(node, 1, HlcTimestamp.pack(micros), HlcTimestamp.pack(micros));
  }

  /** As another server receives it. */
  private static PartQuarantine quarantine(Partitions partitions, EventTopic topic, long offset)
      throws Exception {
    try (Readings readings = new Readings(partitions, ClusterFixture.TOKEN, () -> 0)) {
      byte[] opening =
          ClusterJson.MAPPER.writeValueAsBytes(new Opening(topic.id().toString(), 0, offset, 0));
      return ClusterJson.MAPPER.readValue(readings.quarantine(opening), PartQuarantine.class);
    }
  }

  private ConsumerRecord<byte[], byte[]> directive(Directive directive, long micros) {
    assertThat(EventBlockCodec.isFrame(directive.value()))
        .as("a server without a cluster skips it as no block of events")
        .isFalse();
    return record("retroscope", directive.value(), micros);
  }

  private void assertNewStoreSaysWhatWasRemoved(EventTopic topic) throws Exception {
    Partitions partitions = partitions(topic.id().toString());
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
    assertThat(partitions.open(new Opening(topic.id().toString(), 0, 11, 0)))
        .as("acknowledged records are missing here")
        .isEmpty();
    try (StoredPart part =
        partitions.open(new Opening(topic.id().toString(), 0, 10, 0)).orElseThrow()) {
      assertThat(part.facts().offset()).as("contains exactly these records").isEqualTo(10);
    }
    assertNewRecordsAreAwaited(store, partitions, topic);
    assertEndsTheWaitForNews(store, partitions, topic);
  }

  /** The owner of a partition answers once it has stored the records of the topic. */
  private void assertNewRecordsAreAwaited(
      PartitionStore store, Partitions partitions, EventTopic topic) throws Exception {
    Opening next = new Opening(topic.id().toString(), 0, store.next() + 1, 0).waiting(PATIENCE);
    try (Readings readings = new Readings(partitions, ClusterFixture.TOKEN, () -> 0)) {
      FutureTask<byte[]> opening =
          new FutureTask<>(() -> readings.open(ClusterJson.MAPPER.writeValueAsBytes(next)));
      Thread waiting = new Thread(opening);
      waiting.start();
      await()
          .atMost(PATIENCE)
          .until(() -> opening.isDone() || waiting.getState() == Thread.State.TIMED_WAITING);
      offset = store.next();
      store.add(record("n", block((int) offset + 1, NOW), NOW));
      store.commit(Map.of(PARTITION, offset - 1));
      assertThat(opening.get()).isNotEmpty();
    }
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

  /** The topic must keep what a new copy is restored from. */
  private static void assertChangedSettingIsNoticed(EventTopic topic, KafkaBroker broker)
      throws Exception {
    assertThat(topic.unsuitable()).isEmpty();
    ConfigResource events = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
    AlterConfigOp change =
        new AlterConfigOp(new ConfigEntry("retention.ms", "1000"), AlterConfigOp.OpType.SET);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      admin.incrementalAlterConfigs(Map.of(events, List.of(change))).all().get();
    }
    await().atMost(PATIENCE).until(() -> topic.unsuitable().isPresent());
    assertThat(topic.unsuitable().orElseThrow())
        .contains("has retention.ms=1000, and a cluster needs retention.ms=-1", "--add-config");
  }

  /** The partitions of which there are no news for a server that knows it up to an offset. */
  private static List<Integer> absentFrom(Partitions partitions, EventTopic topic, long offset) {
    return absentFrom(partitions, topic, new Known(0, 0, 0, offset), 0);
  }

  private static List<Integer> absentFrom(
      Partitions partitions, EventTopic topic, Known known, long waitMillis) {
    NewsRequest request = new NewsRequest(topic.id().toString(), List.of(known), waitMillis, false);
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
      Opening opening = new Opening(topic.id().toString(), 0, 10, 0);
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
                    topic, partitions(""), small, () -> NOW, MonotonicClock.system()));
        store.init(context(folder.resolve("small")), store);
        store.add(record("n", block(1, NOW), NOW));
        store.add(record("n", largeBlock(), NOW));
        assertStandsStill(store, 1);
        assertThat(store.trouble().orElseThrow())
            .contains("record 1 of partition 0 cannot be stored by this server")
            .contains("larger heap");
        assertThat(view(store).reported()).isEmpty();
        store.close();
        assertTooManyRunsAreHeld(topic);
        assertHeldRecordsAreStoredByALargerServer(topic);
        assertUnknownDirectivesAreHeld(topic);
        assertStatusDoesNotWaitForAPartition(topic);
        assertOnlyTheOwnerIsAskedToWait(topic);
        assertFollowingEndsSilently(topic);
        assertOtherTopicIsNoticed(topic, broker);
      }
    }
  }

  /**
   * It takes further records at once, and drops them: a thread that waited would read no partition.
   */
  private void assertStandsStill(PartitionStore store, long at) {
    assertThat(store.trouble()).isPresent();
    store.add(record("n", block(2, NOW + 1_000), NOW));
    store.handOver();
    store.commit(Map.of(PARTITION, offset - 1));
    assertThat(store.next()).isEqualTo(at);
    assertThat(store.committedOffset(PARTITION)).as("it is read again").isEqualTo(at - 1);
  }

  private void assertTooManyRunsAreHeld(EventTopic topic) throws Exception {
    offset = 0;
    StoreOptions shared = new StoreOptions(0, new MemoryBudget(8 << 20), 60_000_000).sharedBy(2);
    PartitionStore store =
        new PartitionStore(
            new PartitionStore.Settings(
                topic, partitions(""), shared, () -> NOW, MonotonicClock.system()));
    store.init(context(folder.resolve("runs")), store);
    for (int i = 0; i <= MOST_RUNS; i++) {
      store.add(record("n" + i, block("n" + i, 1, NOW), NOW));
    }
    store.commit(Map.of(PARTITION, 1L));
    assertStandsStill(store, MOST_RUNS);
    assertThat(store.trouble().orElseThrow())
        .contains("record 1000 of partition 0")
        .contains("node \"n1000\" cannot be added");
    store.close();
  }

  /** It begins at the record, and its store equals that of a server that was always as large. */
  private void assertHeldRecordsAreStoredByALargerServer(EventTopic topic) {
    offset = 0;
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    records.add(record("late", block("late", 1, NOW + HOUR), NOW));
    for (int i = 0; i < MOST_RUNS; i++) {
      records.add(record("n" + i, block("n" + i, 1, NOW), NOW));
      if (i % 300 == 0 || i == MOST_RUNS - 9) { // Others follow in its batch.
        records.add(record("n" + i, block("n" + i, 1, NOW - HOUR), NOW));
        records.add(record(null, block("n" + i, 2, NOW), NOW));
        records.add(record("other", block("n" + i, 2, NOW), NOW));
      }
    }
    records.add(record("n1", block("n1", 2, NOW), NOW));
    StoreOptions small = new StoreOptions(0, new MemoryBudget(8 << 20), 60_000_000).sharedBy(2);
    Partitions partitions = partitions("");
    PartitionStore held = storeOf(topic, partitions, small, "grows", records);
    assertThat(held.trouble()).isPresent();
    assertThat(held.next()).isLessThan(records.size());
    held.close();
    PartitionStore grown = storeOf(topic, partitions, StoreOptions.DEFAULT, "grows", records);
    PartitionStore always = storeOf(topic, partitions(""), StoreOptions.DEFAULT, "large", records);
    assertThat(grown.trouble()).isEmpty();
    assertThat(view(grown).reported()).hasSizeGreaterThan(8);
    assertThat(view(grown)).isEqualTo(view(always));
    grown.close();
    always.close();
  }

  private PartitionStore storeOf(
      EventTopic topic,
      Partitions partitions,
      StoreOptions options,
      String name,
      List<ConsumerRecord<byte[], byte[]>> records) {
    PartitionStore store =
        new PartitionStore(
            new PartitionStore.Settings(
                topic, partitions, options, () -> NOW, MonotonicClock.system()));
    store.init(context(folder.resolve(name)), store);
    records.forEach(store::add);
    store.commit(Map.of(PARTITION, (long) records.size()));
    return store;
  }

  /** A server of a newer version removes something there. */
  private void assertUnknownDirectivesAreHeld(EventTopic topic) throws Exception {
    String trim = new String(new Directive.Trim(1, 1).value(), StandardCharsets.UTF_8);
    assertHeld(topic, "field", trim.replace("}", ",\"except\":[]}"));
    assertHeld(topic, "kind", trim.replace("trim", "cut"));
  }

  private void assertHeld(EventTopic topic, String name, String value) throws Exception {
    offset = 0;
    PartitionStore store = partitionStore(topic, () -> NOW, partitions(""));
    store.init(context(folder.resolve(name)), store);
    store.add(
        record("retroscope", "retroscope: is no directive".getBytes(StandardCharsets.UTF_8), NOW));
    store.add(record("n", block(1, NOW), NOW));
    store.add(record("retroscope", value.getBytes(StandardCharsets.UTF_8), NOW));
    assertStandsStill(store, 2);
    assertThat(store.trouble().orElseThrow())
        .isEqualTo(
            "record 2 of partition 0 cannot be stored by this server, where the partition stands"
                + " still until the server is started again: it is a directive of another version"
                + " of Retroscope: run one version on all servers");
    store.close();
  }

  /** A query does, for fifteen times as long. */
  private static void assertStatusDoesNotWaitForAPartition(EventTopic topic) throws Exception {
    AtomicLong seconds = new AtomicLong();
    try (ClusterSource source = source(topic, seconds, List.of())) {
      assertThatThrownBy(source::openSoon)
          .isInstanceOf(PartitionException.class)
          .hasMessageStartingWith("no server has partition 0 up to offset 0");
      assertThat(seconds.get()).isLessThan(ClusterOptions.DEADLINE.toSeconds() / 2);
    }
  }

  /** A copy learns only later which records its owner has stored. */
  private static void assertOnlyTheOwnerIsAskedToWait(EventTopic topic) throws Exception {
    List<Long> waits = new CopyOnWriteArrayList<>();
    HttpServer owner = refusing(waits);
    HttpServer copy = refusing(waits);
    List<Optional<URI>> holders = List.of(address(owner), address(copy));
    try (ClusterSource source = source(topic, new AtomicLong(), holders)) {
      assertThatThrownBy(source::openSoon).hasMessageContaining("no server has partition 0");
      assertThat(waits).startsWith(Opening.MAX_WAIT_MILLIS, 0L);
    } finally {
      owner.stop(0);
      copy.stop(0);
    }
  }

  /** A server without partitions, which notes the waits of requests. */
  private static HttpServer refusing(List<Long> waits) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        Readings.PATH,
        exchange -> {
          byte[] request = exchange.getRequestBody().readAllBytes();
          waits.add(ClusterJson.MAPPER.readValue(request, Opening.class).waitMillis());
          exchange.sendResponseHeaders(409, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static Optional<URI> address(HttpServer server) {
    return Optional.of(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  /** A source whose clock advances by a second whenever it is read. */
  private static ClusterSource source(
      EventTopic topic, AtomicLong seconds, List<Optional<URI>> holders) {
    return new ClusterSource(
        ClusterOptions.of(topic.options(), URI.create("http://127.0.0.1:1"), ClusterFixture.TOKEN),
        topic,
        partitions(topic.id().toString()),
        partition -> holders,
        AlignmentSettings.DEFAULT,
        () -> TimeUnit.SECONDS.toNanos(seconds.getAndIncrement()));
  }

  /** The connections to other servers are closed before the threads that use them have ended. */
  private static void assertFollowingEndsSilently(EventTopic topic) throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger log = (Logger) LoggerFactory.getLogger(FollowedPartitions.class);
    log.addAppender(lines);
    CompletableFuture<Thread> following = new CompletableFuture<>();
    NewsSource news =
        (server, request) -> {
          following.complete(Thread.currentThread());
          try {
            TimeUnit.MINUTES.sleep(1);
            return new NewsAnswer(List.of(), List.of(), Map.of());
          } catch (InterruptedException e) {
            throw new RejectedExecutionException(e);
          }
        };
    MonotonicClock clock = MonotonicClock.system();
    WatermarkTracker watermarks =
        new WatermarkTracker(clock, () -> NOW, TimeUnit.SECONDS.toNanos(2), List.of());
    URI server = URI.create("http://127.0.0.1:1");
    FollowedPartitions followed =
        new FollowedPartitions(
            new FollowedPartitions.Sources(
                topic, () -> Map.of(0, List.of(server)), news, () -> false),
            watermarks,
            LateLog.shared(watermarks, 1, new ArrivalTimes(() -> NOW, clock, () -> 0)),
            clock);
    followed.begin();
    Thread thread = following.join();
    followed.close();
    thread.join();
    log.detachAppender(lines);
    assertThat(lines.list).extracting(ILoggingEvent::getLevel).doesNotContain(Level.ERROR);
  }

  /** Its ends would make the partitions seem to be read to their ends. */
  private static void assertOtherTopicIsNoticed(EventTopic topic, KafkaBroker broker)
      throws Exception {
    assertThat(topic.ends()).isEqualTo(Map.of(0, 0L));
    broker.growTopic(TOPIC, 2);
    awaitNoEnds(topic, "had 1 partitions and has 2 now");
    broker.deleteTopic(TOPIC);
    broker.createTopic(TOPIC, 1, ClusterFixture.SETTINGS);
    awaitNoEnds(topic, "was created again");
  }

  /** The broker publishes a change of topics a moment later. */
  private static void awaitNoEnds(EventTopic topic, String reason) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(topic::ends)
                    .isInstanceOf(KafkaIngestException.class)
                    .hasMessageContaining(reason));
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
    Partitions partitions = partitions(topic.id().toString());
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
    store.add(record("n", block(5, NOW + HOUR), NOW));
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
    long kept = partitions.rejectedCount();
    assertThat(kept).isPositive();
    store.close();
    assertThat(partitions.rejectedCount()).as("a count never falls").isEqualTo(kept);
    assertThat(store.part()).isEmpty();
    assertThat(partitions.offsets()).isEmpty();
    open.close();
    partitions.openings().close();
    return stored;
  }
}
