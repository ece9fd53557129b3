// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.PartitionWriter;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.EventStore.Figures;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.LockException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.ProcessorContextImpl;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.internals.Task;
import org.jspecify.annotations.Nullable;

/**
 * The event store of one partition as a state store of Kafka Streams. It keeps its own offset, and
 * is restored from the topic of events. One thread at a time writes; any may open views.
 */
/*
 * HAZARD: Streams calls commit with no offsets if it takes a store for corrupt, and expects that no
 * offset is committed afterwards; otherwise it tries again for ever. The events remain, and as they
 * are read again, nothing is stored twice. A gap between the stored records and the available ones
 * is found by the writer, whatever Streams makes of it.
 */
final class PartitionStore implements StateStore, Housekeeping.Kept {
  /** The name of the store in the topology. */
  static final String NAME = "events";

  private final Settings settings;
  private volatile OpenViews views = new OpenViews();
  private int partition;
  private volatile @Nullable EventStore store;
  private volatile @Nullable PartitionWriter writer;
  private volatile @Nullable PartitionNews news;
  private volatile Optional<PartitionEvidence> evidence = Optional.empty();
  private boolean forgotten;

  /** What all stores of a process share. */
  record Settings(
      EventTopic topic,
      Partitions partitions,
      StoreOptions options,
      PhysicalClock clock,
      MonotonicClock stopwatch) {}

  PartitionStore(Settings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    partition = context.taskId().partition();
    if (store == null) {
      open(context.stateDir().toPath().resolve(NAME), isCopy(context));
    }
    RecordBatchingStateRestoreCallback restoring = this::restore;
    context.register(root, restoring);
  }

  /** Whether it is the store of a copy, for which nothing waits; at the start that is unknown. */
  private static boolean isCopy(StateStoreContext context) {
    return context instanceof ProcessorContextImpl own && own.taskType() == Task.TaskType.STANDBY;
  }

  /**
   * Opens the store.
   *
   * @throws LockException if it is being opened, so that Streams tries again later
   */
  private void open(Path folder, boolean isCopy) {
    StoreOpenings openings = settings.partitions().openings();
    Supplier<EventStore> opening =
        () -> EventStore.open(folder, settings.options(), settings.clock());
    EventStore opened =
        isCopy
            ? openings
                .openLater(partition, opening)
                .orElseThrow(() -> new LockException("its store is being opened"))
            : openings.open(partition, opening);
    try {
      PartitionWriter writing =
          new PartitionWriter(settings.topic(), partition, opened, settings.stopwatch());
      PartitionNews own =
          new PartitionNews(
              partition,
              new SecureRandom().nextLong() | 1,
              opened.incarnations(),
              () -> writing.next().orElse(0),
              settings.partitions()::signal);
      PartitionEvidence about =
          new PartitionEvidence(new SecureRandom().nextLong(), settings.stopwatch());
      opened.addListener(own);
      opened.addListener(about);
      writer = writing;
      news = own;
      evidence = Optional.of(about);
    } catch (RuntimeException e) {
      openings.close(partition, opened::close);
      throw e;
    }
    views = new OpenViews();
    store = opened;
    settings.partitions().opened(partition, this);
    readEvidence();
  }

  @Override
  public void readEvidence() {
    evidence
        .filter(PartitionEvidence::beginReading)
        .ifPresent(about -> settings.partitions().later(() -> readInto(about)));
  }

  private void readInto(PartitionEvidence about) {
    if (isOpen()) {
      about.read(this::bare, this::isOpen);
    }
  }

  /** The stored events, without the evidence about clocks that is being read from them. */
  private StoredPart bare() {
    return part(Optional.empty())
        .orElseThrow(() -> new StoreException("the partition has left this server"));
  }

  private void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    records.forEach(writer()::add);
    writer().settle();
  }

  /** Adds a record; it is stored at the next commit at the latest. */
  void add(ConsumerRecord<byte[], byte[]> record) {
    writer().add(record);
  }

  /** Begins to store added records, unless something is being stored. */
  void handOver() {
    writer().handOver();
  }

  private PartitionWriter writer() {
    PartitionWriter open = writer;
    if (open == null) {
      throw new IllegalStateException("the store of partition " + partition + " is not open");
    }
    return open;
  }

  @Override
  public void commit(Map<TopicPartition, Long> offsets) {
    writer().settle();
    forgotten = offsets.isEmpty();
  }

  /** The offset of the last stored record; null if there is none. */
  @Override
  public @Nullable Long committedOffset(TopicPartition topicPartition) {
    PartitionWriter open = writer;
    return forgotten || open == null || open.next().isEmpty()
        ? null
        : Long.valueOf(open.next().getAsLong() - 1);
  }

  /** Deprecated because stores that do not will be gone; until then it must say so. */
  @SuppressWarnings("deprecation")
  @Override
  public boolean managesOffsets() {
    return true;
  }

  @Override
  public boolean persistent() {
    return true;
  }

  @Override
  public boolean isOpen() {
    return store != null;
  }

  /** The offset after the last stored record, 0 if there is none. */
  long next() {
    PartitionWriter open = writer;
    return open == null ? 0 : open.next().orElse(0);
  }

  /**
   * The stored events; empty if the store is closed.
   *
   * @throws StoreException if the store is damaged, or is just being closed
   */
  Optional<StoredPart> part() {
    return part(evidence);
  }

  private Optional<StoredPart> part(Optional<PartitionEvidence> about) {
    EventStore open = store;
    OpenViews own = views;
    if (open == null) {
      return Optional.empty();
    }
    OpenViews.check(damage());
    return Optional.of(
        new StoredPart(
            own,
            () -> open.open(ClockOffsets.UNKNOWN),
            this::damage,
            about,
            settings.partitions().tiles()));
  }

  /** The news for servers that follow the partition; empty if the store is closed. */
  Optional<PartitionNews> news() {
    return Optional.ofNullable(news);
  }

  /** Figures of the store; empty if it is closed. */
  Optional<Figures> figures() {
    return read(EventStore::figures);
  }

  /** Sentences about lost stored events here. */
  List<String> losses() {
    return read(EventStore::losses).orElse(List.of());
  }

  /** The number of records that are kept because they cannot be stored. */
  long rejectedCount() {
    return read(open -> open.rejected().rejectedCount()).orElse(0L);
  }

  /** Why nothing can be written here at present, in one sentence; empty if writing works. */
  Optional<String> writeTrouble() {
    return read(EventStore::writeTrouble).flatMap(trouble -> trouble);
  }

  /** Whether the thread that writes the store has ended, although the store is open. */
  boolean hasEnded() {
    return read(open -> !open.writingThread().isAlive()).orElse(false);
  }

  /** Reads from the store, which is not closed meanwhile; empty if it is closed. */
  private <T> Optional<T> read(Function<EventStore, T> access) {
    OpenViews own = views;
    EventStore open = store;
    try {
      return open == null ? Optional.empty() : Optional.of(own.read(() -> access.apply(open)));
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  /** The damage of the stored events in one sentence, which a copy at another server has not. */
  private Optional<String> damage() {
    EventStore open = store;
    return open == null
        ? Optional.empty()
        : open.damage()
            .map(
                sentence ->
                    "the copy of partition %d here is damaged: %s; stop this server and remove its folder 0_%d, so that it is restored from the topic"
                        .formatted(partition, sentence, partition));
  }

  /** The current failure of storing, or the damage of stored events; empty if there is none. */
  Optional<String> trouble() {
    PartitionWriter open = writer;
    return open == null ? Optional.empty() : open.trouble().or(this::damage);
  }

  @Override
  public void seal(long horizon) {
    keep(
        open -> {
          int unused = open.seal(horizon);
        });
  }

  /** Works on the store; a failure because it is closed meanwhile is none. */
  private void keep(Consumer<EventStore> work) {
    EventStore open = store;
    if (open == null) {
      return;
    }
    try {
      work.accept(open);
    } catch (StoreException e) {
      if (open == store) {
        throw e;
      }
    }
  }

  /** The quarantined events; empty if the store is closed. */
  Optional<PartQuarantine> quarantine() {
    EventStore open = store;
    PartitionWriter writing = writer;
    return open == null || writing == null
        ? Optional.empty()
        : Optional.of(new PartQuarantine(open.quarantined(), writing.receipts()));
  }

  @Override
  public void free() {
    keep(EventStore::freeTrimmed);
  }

  /**
   * What the stores of this partition do not have to keep any longer.
   *
   * @param trim what to remove of the events
   * @param heard whether a run still sends
   */
  List<Directive> overdue(Directive.Trim trim, Predicate<Incarnation.Name> heard) {
    EventStore open = store;
    if (open == null) {
      return List.of();
    }
    List<Directive> directives = new ArrayList<>();
    if (open.reachesBackTo(trim.hlc())) {
      directives.add(trim);
    }
    for (Submission.Expiry left : open.leftovers(heard)) {
      directives.add(new Directive.Expire(left.forgotten(), left.gone(), left.nodes()));
    }
    return directives;
  }

  @Override
  public void close() {
    settings.partitions().closed(partition, this);
    PartitionWriter writing = writer;
    writer = null;
    news = null;
    if (writing != null) {
      writing.close();
    }
    views.end();
    EventStore open = store;
    store = null;
    if (open != null) {
      settings.partitions().openings().close(partition, open::close);
    }
  }
}
