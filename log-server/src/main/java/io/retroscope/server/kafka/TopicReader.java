// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a topic's records and submits their blocks to the store, together with the positions. Used
 * by one thread at a time, except for {@link #wakeUp}.
 */
/*
 * One batch is being stored while the next is read. A batch is submitted only after the previous
 * one is stored, so that a stored position never passes a record that is not stored. If the store
 * refuses a batch permanently, it is submitted again record by record, and the refused records are
 * skipped. After any other failure, reading restarts at the stored position; the store recognises
 * the duplicates.
 */
final class TopicReader implements Runnable {
  private static final Logger logger = LoggerFactory.getLogger(TopicReader.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 1_000;

  private final KafkaOptions options;
  private final EventStore store;
  private final StartPlan plan;
  private final IngestState state;
  private final RecordDecoder decoder;
  private final BatchWriter writer;
  private final KafkaConsumer<byte[], byte[]> consumer;

  /** The prefix of the names under which this topic's positions are stored. */
  private String sourcePrefix = "";

  private ReadBatch gathered;
  private @Nullable Handed underway;

  /** A submitted batch and its pending answer. */
  private record Handed(ReadBatch batch, CompletableFuture<Receipt> answer) {}

  TopicReader(KafkaOptions options, EventStore store, IngestState state) {
    this.options = options;
    this.store = store;
    this.state = state;
    this.decoder =
        new RecordDecoder(options.topic(), store.rejected(), store.suspects(), state.skipped);
    this.writer = new BatchWriter(store, state, decoder, BatchWriter.Policy.SKIP, PAUSE_MILLIS);
    this.plan = new StartPlan(options.topic(), options.from());
    this.gathered = newBatch();
    this.consumer =
        new KafkaConsumer<>(
            options.consumerSettings(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void run() {
    try {
      while (!state.isClosing() && !state.health.isStopped()) {
        step();
      }
      close();
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("reading cannot be restarted", e);
      state.health.stop("reading failed unexpectedly, see the server's log: " + e);
    }
  }

  /** Ends a wait for records. */
  void wakeUp() {
    consumer.wakeup();
  }

  void close() {
    abandon();
    gathered.close();
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }

  private void step() {
    try {
      follow();
      read();
      state.health.well(Part.READER);
    } catch (WakeupException | InterruptException e) {
      // Closing the server wakes this thread up, and the loop ends.
    } catch (KafkaIngestException e) {
      state.health.stop(String.valueOf(e.getMessage()));
    } catch (KafkaException e) {
      recover(e);
    } catch (RuntimeException | Error e) {
      reportUnexpected(e);
      beginAnew();
      state.closesWithin(PAUSE_MILLIS);
    }
  }

  private void recover(KafkaException failure) {
    try {
      finishUnderway();
      if (failure instanceof LogTruncationException truncated) {
        goBack(truncated);
      } else if (failure instanceof OffsetOutOfRangeException out) {
        continueAfterGap(out);
      } else {
        state.health.trouble(Part.READER, KafkaFault.of(failure, options).sentence());
        beginAnew();
        state.closesWithin(PAUSE_MILLIS);
      }
    } catch (KafkaIngestException e) {
      state.health.stop(String.valueOf(e.getMessage()));
    } catch (KafkaException e) {
      // The broker does not know yet where its records begin: the next attempt queries again.
      state.health.trouble(Part.READER, KafkaFault.of(e, options).sentence());
      beginAnew();
      state.closesWithin(PAUSE_MILLIS);
    }
  }

  /**
   * Starts reading the topic's current partitions.
   *
   * @throws KafkaIngestException if continuing would lose unread records
   */
  void follow() {
    Optional<TopicState> latest = state.progress.latest();
    if (latest.isEmpty() || state.progress.isAssigned(latest.get())) {
      return;
    }
    TopicState found = latest.get();
    settle();
    handOver();
    settle();
    Map<Integer, Reached> starts =
        plan.starts(found, state.progress.next(found.id()), store.positions());
    sourcePrefix = StartPlan.sourcePrefix(options.topic(), found.id());
    assign(starts);
    state.progress.assigned(found, starts);
    logger.info(
        "reading topic \"{}\" at {}: {} partitions, {} records to catch up with",
        options.topic(),
        options.brokers(),
        starts.size(),
        state.progress.lagCount());
  }

  private void assign(Map<Integer, Reached> starts) {
    gathered.close();
    gathered = newBatch();
    consumer.assign(starts.keySet().stream().map(this::partition).toList());
    starts.forEach((partition, start) -> seek(partition(partition), start));
  }

  private void seek(TopicPartition partition, Reached position) {
    Optional<Integer> epoch =
        position.epoch() < 0 ? Optional.empty() : Optional.of(position.epoch());
    consumer.seek(partition, new OffsetAndMetadata(position.next(), epoch, ""));
  }

  private TopicPartition partition(int partition) {
    return new TopicPartition(options.topic(), partition);
  }

  /** Drops the current batch and reads it again. */
  private void beginAnew() {
    finishUnderway();
    Map<Integer, Reached> starts = new HashMap<>();
    state
        .progress
        .next(state.progress.topicId())
        .forEach((partition, next) -> starts.put(partition, new Reached(next, -1)));
    assign(starts);
  }

  private void finishUnderway() {
    try {
      settle();
    } catch (WakeupException e) {
      // The server closes.
    } catch (RuntimeException | Error e) {
      reportUnexpected(e);
    }
  }

  private void reportUnexpected(Throwable failure) {
    FatalErrors.check(failure);
    state.health.trouble(Part.READER, "reading failed unexpectedly: " + failure);
    logger.error("restarting reading after an unexpected failure", failure);
  }

  private void abandon() {
    Handed handed = underway;
    underway = null;
    if (handed != null) {
      handed.batch().close();
    }
  }

  private void goBack(LogTruncationException truncated) {
    beginAnew();
    truncated
        .divergentOffsets()
        .forEach(
            (partition, last) -> {
              logger.warn(
                  "the brokers have lost records of partition {} from {} on, which are already"
                      + " stored here; reading it again from there",
                  partition.partition(),
                  last.offset());
              continueAt(partition, new Reached(last.offset(), -1));
            });
  }

  /**
   * Continues at the next available record.
   *
   * @throws KafkaIngestException if unread records were removed
   */
  private void continueAfterGap(OffsetOutOfRangeException out) {
    Map<TopicPartition, Long> wrong = out.offsetOutOfRangePartitions();
    Set<TopicPartition> partitions = wrong.keySet();
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, QUERY_TIMEOUT);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, QUERY_TIMEOUT);
    beginAnew();
    for (Map.Entry<TopicPartition, Long> each : wrong.entrySet()) {
      TopicPartition partition = each.getKey();
      long next = each.getValue();
      Reached begin = new Reached(begins.getOrDefault(partition, 0L), -1);
      long end = ends.getOrDefault(partition, 0L);
      if (next < begin.next()) {
        continueAt(partition, plan.afterGap(partition.partition(), next, begin));
      } else if (next > end) {
        continueAt(partition, plan.afterTruncation(partition.partition(), next, end, begin));
      }
    }
  }

  private void continueAt(TopicPartition partition, Reached position) {
    seek(partition, position);
    state.progress.stored(partition.partition(), position.next());
  }

  private void read() {
    if (consumer.assignment().isEmpty()) {
      state.closesWithin(POLL.toMillis());
      return;
    }
    ConsumerRecords<byte[], byte[]> records =
        consumer.poll(underway == null ? POLL : Duration.ZERO);
    gather(records);
    if (records.isEmpty() || gathered.isFull() || isAnswered()) {
      settle();
    }
    if (underway == null) {
      handOver();
    }
  }

  private boolean isAnswered() {
    return underway != null && underway.answer().isDone();
  }

  private void gather(ConsumerRecords<byte[], byte[]> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      List<EncodedFrame> frames = decode(record);
      state.records.increment();
      state.bytes.add(Math.max(0, record.serializedValueSize()));
      if (!frames.isEmpty()) {
        Reached after = new Reached(record.offset() + 1, record.leaderEpoch().orElse(-1));
        gathered.add(new Entry(record.partition(), after, frames));
        if (gathered.isFull()) {
          // A few bytes may expand to much memory, so not every polled record may fit.
          settle();
          handOver();
        }
      }
    }
    records
        .nextOffsets()
        .forEach(
            (partition, next) ->
                gathered.reached(
                    partition.partition(),
                    new Reached(next.offset(), next.leaderEpoch().orElse(-1))));
  }

  /** The frames of a record; waits until there is memory for them. */
  private List<EncodedFrame> decode(ConsumerRecord<byte[], byte[]> record) {
    while (true) {
      Charge charge = gathered.charge();
      long before = charge.bytes();
      try {
        List<EncodedFrame> frames = decoder.frames(record, charge);
        if (frames.isEmpty()) {
          charge.resize(before);
        }
        return frames;
      } catch (OverBudgetException e) {
        charge.resize(before);
        settle();
        handOver();
        settle();
        if (!e.isLasting() && state.closesWithin(PAUSE_MILLIS)) {
          throw new WakeupException();
        }
      }
    }
  }

  private void handOver() {
    if (!gathered.isEmpty()) {
      ReadBatch batch = gathered;
      gathered = newBatch();
      underway = new Handed(batch, writer.begin(batch, sourcePrefix));
    }
  }

  private ReadBatch newBatch() {
    return new ReadBatch(options.batchBytes(), store.memory().charge());
  }

  /**
   * Waits until the submitted batch is stored. If that fails, the batch is dropped; its records are
   * read again from the stored position.
   */
  private void settle() {
    Handed handed = underway;
    underway = null;
    if (handed != null) {
      try (ReadBatch batch = handed.batch()) {
        writer.finish(batch, handed.answer(), sourcePrefix);
        batch.noteIn(state);
      }
    }
  }
}
