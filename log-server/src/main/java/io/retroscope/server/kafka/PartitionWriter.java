// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The writer of one partition's records to a store of its own, in order and each once, with the
 * offset. Used by one thread at a time, except for {@link #next} and {@link #trouble}.
 *
 * <p>What it stores depends on nothing but the records, so that stores of the same records are
 * equal: the broker's time decides which stamps are too far in the future. At a record that only
 * another server can store, it ends for good: it takes further records, and drops them. A writer of
 * the same store that is opened later begins again at that record.
 */
public final class PartitionWriter implements AutoCloseable {
  private static final long PAUSE_MILLIS = 1_000;
  private static final int MAX_RECEIPTS = 100;

  private final EventTopic topic;
  private final int partition;
  private final EventStore store;
  private final String sourcePrefix;
  private final long batchBytes;
  private final IngestState state;
  private final RecordDecoder decoder;
  private final BatchWriter writer;

  /** The results of the latest releases and purges, by the offsets of their directives. */
  private final Map<Long, Receipt> receipts =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Receipt> eldest) {
              return size() > MAX_RECEIPTS;
            }
          });

  /** The offset after the last record that was added. */
  private long expected;

  /** Whether a record, and therefore everything after it, cannot be stored here. */
  private boolean isHeld;

  private ReadBatch gathered;
  private @Nullable Handed underway;

  private record Handed(ReadBatch batch, CompletableFuture<Receipt> answer) {}

  /**
   * A writer that continues where the store ends.
   *
   * @throws KafkaIngestException if the topic is another one than that of the store, or no longer
   *     has the records that follow
   */
  public PartitionWriter(EventTopic topic, int partition, EventStore store, MonotonicClock clock) {
    this.topic = topic;
    this.partition = partition;
    this.store = store;
    KafkaOptions options = topic.options();
    sourcePrefix = StartPlan.sourcePrefix(options.topic(), topic.id());
    batchBytes = Math.max(1, options.batchBytes() / topic.partitionCount());
    state = new IngestState(options, clock, Duration.ofSeconds(1).toNanos());
    decoder = new RecordDecoder(options.topic(), store.rejected(), store.suspects(), state.skipped);
    writer = new BatchWriter(store, state, decoder, BatchWriter.Policy.STATE, PAUSE_MILLIS);
    gathered = newBatch();
    if (next().isEmpty() && StartPlan.isKnown(options.topic(), store.positions().keySet())) {
      throw new KafkaIngestException(
          "the store of partition %d is of another topic \"%s\" than the present one: it was created again, or is in another cluster; check --kafka, or give --data an empty folder"
              .formatted(partition, options.topic()));
    }
    expected = next().orElse(0);
    long begin = checkBegin();
    if (begin > expected) {
      gathered.state(RefusedRecord.removed(partition, begin));
      reach(new Reached(begin, -1));
    }
  }

  /** The offset after the last stored record; empty if there is none. Any thread may call it. */
  public OptionalLong next() {
    SourcePosition position = store.positions().get(sourcePrefix + partition);
    return position == null || position.next() == 0
        ? OptionalLong.empty()
        : OptionalLong.of(position.next());
  }

  /**
   * Adds a record; one that was added before is skipped. It waits while too much is not stored.
   *
   * @throws KafkaIngestException if records before it were removed
   */
  public void add(ConsumerRecord<byte[], byte[]> record) {
    if (record.offset() >= expected) {
      orHold(() -> take(record));
    }
  }

  /** Does something unless a record is held, which may turn out meanwhile. */
  private void orHold(Runnable work) {
    if (isHeld) {
      return;
    }
    try {
      work.run();
    } catch (HeldRecordException e) {
      hold(e);
    }
  }

  /**
   * Waiting in the thread that reads would be wrong: the broker would take the server for dead, and
   * move all its partitions to others.
   */
  private void hold(HeldRecordException reason) {
    isHeld = true;
    gathered.close();
    gathered = newBatch();
    state.health.stop(
        "record %d of partition %d cannot be stored by this server, where the partition stands still until the server is started again: %s"
            .formatted(reason.offset(), partition, reason.getMessage()));
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    if (record.offset() > expected) {
      checkBegin();
      gathered.state(RefusedRecord.passedOver(partition));
    }
    Reached after = new Reached(record.offset() + 1, record.leaderEpoch().orElse(-1));
    if (record.key() == null) {
      keepAside(record, "it has no key: the key must be the name of the node");
      gathered.state(RefusedRecord.passedOver(partition));
    } else if (ForgottenNode.isValue(record.value())) {
      forget(record);
    } else {
      directive(record)
          .ifPresentOrElse(wanted -> follow(wanted, record), () -> gather(record, after));
    }
    reach(after);
    if (gathered.isFull()) {
      finishUnderway();
    }
    begin();
  }

  /** The directive of a record, which is held if only another version can follow it. */
  private Optional<Directive> directive(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Directive.of(record.value());
    } catch (Directive.UnknownException e) {
      throw held(record, e);
    }
  }

  /** The exception for a record that is held, once the records before it are stored. */
  private HeldRecordException held(ConsumerRecord<byte[], byte[]> record, Exception reason) {
    finish();
    return new HeldRecordException(record.offset(), String.valueOf(reason.getMessage()), reason);
  }

  private void gather(ConsumerRecord<byte[], byte[]> record, Reached after) {
    List<EncodedFrame> frames = decode(record);
    if (!frames.isEmpty()) {
      gathered.add(new Entry(partition, after, frames));
    }
  }

  /**
   * Does what a directive says, after all records before it and before all others. If the process
   * ends before the next position is stored, it is done again.
   */
  private void follow(Directive directive, ConsumerRecord<byte[], byte[]> record) {
    finish();
    while (true) {
      try {
        apply(directive, record);
        state.health.well(Part.STORE);
        return;
      } catch (StoreException | StoreBusyException e) {
        state.health.trouble(Part.STORE, String.valueOf(e.getMessage()));
      }
      pause();
    }
  }

  private void apply(Directive directive, ConsumerRecord<byte[], byte[]> record) {
    long micros = TimeUnit.MILLISECONDS.toMicros(record.timestamp());
    if (directive instanceof Directive.Trim trim) {
      long oldEnough = HlcTimestamp.pack(Math.max(0, micros - trim.ageMicros()));
      store.trim(Math.min(trim.hlc(), oldEnough));
    } else if (directive instanceof Directive.Expire expire) {
      store.expire(
          new Submission.Expiry(expire.forgotten(), expire.gone(), expire.nodes(), micros));
    } else if (directive instanceof Directive.Quarantined quarantined) {
      Receipt receipt =
          quarantined.keeps()
              ? store.releaseQuarantined(quarantined.selection())
              : store.purgeQuarantined(quarantined.selection());
      receipts.put(record.offset(), receipt);
    } else if (directive instanceof Directive.Stated stated) {
      writer.storeWhole(record.offset(), stated.submission(), gathered.charge());
    }
  }

  /**
   * The results of the latest releases and purges, by the offsets of their directives. Any thread
   * may call it.
   */
  public Map<Long, Receipt> receipts() {
    synchronized (receipts) {
      return Map.copyOf(receipts);
    }
  }

  /** After all records before it, and before all others: they are of runs that are closed. */
  private void forget(ConsumerRecord<byte[], byte[]> record) {
    finish();
    String node = new String(record.key(), StandardCharsets.UTF_8);
    long micros = TimeUnit.MILLISECONDS.toMicros(record.timestamp());
    writer.storeWhole(record.offset(), new Submission.Forget(node, micros), gathered.charge());
  }

  private void reach(Reached after) {
    expected = after.next();
    gathered.reached(partition, after);
  }

  private void keepAside(ConsumerRecord<byte[], byte[]> record, String reason) {
    if (record.value() != null) {
      decoder.reject(partition, record.offset(), record.value(), reason);
    }
  }

  /** Begins to store added records, unless something is being stored. */
  public void handOver() {
    orHold(this::begin);
  }

  private void begin() {
    if (underway != null && underway.answer().isDone()) {
      finishUnderway();
    }
    if (underway == null && !gathered.isEmpty()) {
      ReadBatch batch = gathered;
      gathered = newBatch();
      underway = new Handed(batch, writer.begin(batch, sourcePrefix));
    }
  }

  /**
   * Waits until everything that was added is stored, except for a held record and those after it.
   */
  public void settle() {
    orHold(this::finish);
  }

  private void finish() {
    finishUnderway();
    begin();
    finishUnderway();
  }

  /** The current failure, in one sentence; empty if there is none. Any thread may call it. */
  public Optional<String> trouble() {
    return state.health.current();
  }

  /** Returns the first available offset; a store that has records must continue at its end. */
  private long checkBegin() {
    long begin = topic.begin(partition);
    if (expected > 0 && begin > expected) {
      throw new KafkaIngestException(
          "records %d to %d of partition %d of topic \"%s\" were removed before they were read here (see retention.ms and retention.bytes of the topic): nothing was deleted or skipped; to continue without them, give --data an empty folder, and the topic must keep at least what the stores keep"
              .formatted(expected, begin - 1, partition, topic.options().topic()));
    }
    return begin;
  }

  /** The frames of a record; empty if it is refused, which is stated, or contains no events. */
  private List<EncodedFrame> decode(ConsumerRecord<byte[], byte[]> record) {
    while (true) {
      long before = gathered.charge().bytes();
      try {
        RecordDecoder.Decoded decoded = decoder.decode(record, gathered.charge());
        List<EncodedFrame> frames = decoded.frames();
        Optional<String> refusal = decoded.refusal().or(() -> wrongKey(record, frames));
        if (refusal.isPresent() && !frames.isEmpty()) {
          keepAside(record, refusal.get());
        }
        refusal.ifPresent(
            reason -> gathered.state(RefusedRecord.of(partition, record.offset(), frames, reason)));
        if (refusal.isEmpty() && !frames.isEmpty()) {
          long arrived = TimeUnit.MILLISECONDS.toMicros(record.timestamp());
          return frames.stream().map(frame -> frame.arrivedAt(arrived)).toList();
        }
        gathered.charge().resize(before);
        return List.of();
      } catch (OverBudgetException e) {
        gathered.charge().resize(before);
        finish();
        if (!e.isLasting()) {
          pause();
        } else if (before == 0) {
          throw held(record, e);
        }
      } catch (HeldRecordException e) {
        gathered.charge().resize(before);
        throw held(record, e);
      }
    }
  }

  private void pause() {
    if (state.closesWithin(PAUSE_MILLIS)) {
      throw new WakeupException();
    }
  }

  /** The reason why a record is not where the events of its nodes belong; empty if it is. */
  private Optional<String> wrongKey(
      ConsumerRecord<byte[], byte[]> record, List<EncodedFrame> frames) {
    if (frames.isEmpty()) {
      return Optional.empty();
    }
    byte[] key = record.key();
    String name = new String(key, StandardCharsets.UTF_8);
    if (EventTopic.partition(key, topic.partitionCount()) != partition) {
      return Optional.of(
          "its key belongs into another partition: do not set partitioner.class in the sender");
    }
    return frames.stream().allMatch(frame -> isOf(name, frame))
        ? Optional.empty()
        : Optional.of("its key is not the name of the one node of its events");
  }

  private static boolean isOf(String node, EncodedFrame frame) {
    return frame.content() instanceof EventBlock block
        ? block.nodes().equals(List.of(node))
        : frame.content() instanceof LostBlocks lost && lost.node().equals(node);
  }

  private ReadBatch newBatch() {
    return new ReadBatch(batchBytes, store.memory().charge());
  }

  private void finishUnderway() {
    Handed handed = underway;
    underway = null;
    if (handed != null) {
      try (ReadBatch batch = handed.batch()) {
        writer.finish(batch, handed.answer(), sourcePrefix);
      }
    }
  }

  /** Drops records that are not stored; they are read again. */
  @Override
  public void close() {
    state.close();
    if (underway != null) {
      underway.batch().close();
      underway = null;
    }
    gathered.close();
  }
}
