package io.retroscope.server.kafka;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.ReadBatch.Entry;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.StoreException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.Frame;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 * Reads a topic's records and hands their blocks to the store, which keeps the positions with them.
 * Used by one thread at a time, but for {@link #wakeUp}.
 */
/*
 * One batch is on its way to the store while the next is gathered. A batch is handed over only when
 * the one before is stored: so a stored position never passes a record that is not. A batch that
 * the store contradicts is handed over again record by record, and the record at fault is passed
 * over. Whatever else goes wrong, reading begins anew where the store is; what it knows already it
 * recognises.
 */
final class TopicReader implements Runnable {
  private static final Logger logger = LoggerFactory.getLogger(TopicReader.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 1_000;

  private final KafkaOptions options;
  private final EventStore store;
  private final StartPlan plan;
  private final IngestState state;
  private final RecordDecoder decoder;
  private final KafkaConsumer<byte[], byte[]> consumer;

  /** What the names of this topic's positions in the store begin with. */
  private String sourcePrefix = "";

  private ReadBatch gathered;
  private @Nullable Handed underway;

  /** A batch that the store has, and what it will answer. */
  private record Handed(ReadBatch batch, CompletableFuture<Receipt> answer) {}

  /** The store will never take it. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String reason, Throwable cause) {
      super(reason, cause);
    }
  }

  TopicReader(KafkaOptions options, EventStore store, IngestState state) {
    this.options = options;
    this.store = store;
    this.state = state;
    this.decoder = new RecordDecoder(options.topic(), store.rejected(), state.skipped);
    this.plan = new StartPlan(options.topic(), options.from());
    this.gathered = new ReadBatch(options.batchBytes());
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
      logger.error("reading cannot even begin anew", e);
      state.health.stop("reading failed unexpectedly, see the server's log: " + e);
    }
  }

  /** Ends a wait for records. */
  void wakeUp() {
    consumer.wakeup();
  }

  void close() {
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }

  private void step() {
    try {
      follow();
      read();
      state.health.well(Part.READER);
    } catch (WakeupException | InterruptException e) {
      // Whoever closes the server wakes this thread up, and the loop ends.
    } catch (KafkaIngestException e) {
      state.health.stop(String.valueOf(e.getMessage()));
    } catch (KafkaException e) {
      recover(e);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      state.health.trouble(Part.READER, "reading failed unexpectedly: " + e);
      logger.error("reading begins anew after an unexpected failure", e);
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
        goOnAfterGap(out);
      } else {
        state.health.trouble(Part.READER, KafkaFault.of(failure, options).sentence());
        beginAnew();
        state.closesWithin(PAUSE_MILLIS);
      }
    } catch (KafkaIngestException e) {
      state.health.stop(String.valueOf(e.getMessage()));
    } catch (KafkaException e) {
      // The broker cannot say now where its records begin: the next attempt asks again.
      state.health.trouble(Part.READER, KafkaFault.of(e, options).sentence());
      beginAnew();
      state.closesWithin(PAUSE_MILLIS);
    }
  }

  /**
   * Takes up the partitions that the topic has now.
   *
   * @throws KafkaIngestException if going on would lose what was not read
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
    gathered = new ReadBatch(options.batchBytes());
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

  /** Drops what was gathered and reads it again. */
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
      underway = null;
    }
  }

  private void goBack(LogTruncationException truncated) {
    beginAnew();
    truncated
        .divergentOffsets()
        .forEach(
            (partition, last) -> {
              logger.warn(
                  "the brokers have lost records of partition {} from {} on, which are stored here"
                      + " already; it is read again from there",
                  partition.partition(),
                  last.offset());
              goOnAt(partition, new Reached(last.offset(), -1));
            });
  }

  /**
   * Goes on where records are.
   *
   * @throws KafkaIngestException if some were removed that were not read
   */
  private void goOnAfterGap(OffsetOutOfRangeException out) {
    Map<TopicPartition, Long> wrong = out.offsetOutOfRangePartitions();
    Set<TopicPartition> partitions = wrong.keySet();
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, ASK_TIMEOUT);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, ASK_TIMEOUT);
    beginAnew();
    for (Map.Entry<TopicPartition, Long> each : wrong.entrySet()) {
      TopicPartition partition = each.getKey();
      long next = each.getValue();
      Reached begin = new Reached(begins.getOrDefault(partition, 0L), -1);
      long end = ends.getOrDefault(partition, 0L);
      if (next < begin.next()) {
        goOnAt(partition, plan.afterGap(partition.partition(), next, begin));
      } else if (next > end) {
        goOnAt(partition, plan.afterTruncation(partition.partition(), next, end, begin));
      }
    }
  }

  private void goOnAt(TopicPartition partition, Reached position) {
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
      List<Frame> frames = decoder.frames(record);
      state.records.increment();
      state.bytes.add(Math.max(0, record.serializedValueSize()));
      if (!frames.isEmpty()) {
        Reached after = new Reached(record.offset() + 1, record.leaderEpoch().orElse(-1));
        gathered.add(new Entry(record.partition(), after, frames));
        if (gathered.isFull()) {
          // Few bytes may take much memory: not all that was polled may fit.
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

  private void handOver() {
    if (!gathered.isEmpty()) {
      ReadBatch batch = gathered;
      gathered = new ReadBatch(options.batchBytes());
      underway = new Handed(batch, append(batch.submission(sourcePrefix)));
    }
  }

  private CompletableFuture<Receipt> append(Submission submission) {
    try {
      return store.append(submission);
    } catch (StoreBusyException | StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Waits until the batch that is underway is stored. */
  private void settle() {
    Handed handed = underway;
    if (handed == null) {
      return;
    }
    try {
      Receipt unused = await(handed.answer(), handed.batch().submission(sourcePrefix));
    } catch (RefusedException e) {
      storeOneByOne(handed.batch());
    }
    handed.batch().noteIn(state);
    underway = null;
  }

  private void storeOneByOne(ReadBatch batch) {
    for (Entry entry : batch.entries()) {
      try {
        Receipt unused = store(ReadBatch.submission(sourcePrefix, entry));
      } catch (RefusedException e) {
        decoder.reject(
            entry.partition(), entry.offset(), entry.value(), String.valueOf(e.getMessage()));
      }
    }
    try {
      store(batch.positions(sourcePrefix));
    } catch (RefusedException e) {
      throw new AssertionError("the store refuses a position", e);
    }
  }

  private Receipt store(Submission submission) throws RefusedException {
    return await(append(submission), submission);
  }

  /**
   * Waits until a submission is stored, and hands it over again while the store cannot.
   *
   * @throws WakeupException if the server closes meanwhile
   */
  private Receipt await(CompletableFuture<Receipt> first, Submission submission)
      throws RefusedException {
    CompletableFuture<Receipt> answer = first;
    while (true) {
      try {
        Receipt receipt = answer.join();
        state.health.well(Part.STORE);
        return receipt;
      } catch (CompletionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (cause instanceof Error error) {
          // It says nothing about the records.
          throw error;
        }
        if (!(cause instanceof StoreException || cause instanceof StoreBusyException)) {
          throw new RefusedException(String.valueOf(cause.getMessage()), cause);
        }
        state.health.trouble(Part.STORE, String.valueOf(cause.getMessage()));
      }
      if (state.closesWithin(PAUSE_MILLIS)) {
        throw new WakeupException();
      }
      answer = append(submission);
    }
  }
}
