// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.Health.Part;
import io.retroscope.server.kafka.TopicProbe.ProbeException;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer of events from a Kafka topic. It resumes by itself when brokers fail and return, and
 * stops only if continuing would lose events. Thread-safe.
 */
public final class KafkaIngest implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(KafkaIngest.class);
  private static final long QUERY_TIMEOUT_MILLIS = 6_000;
  private static final long MAX_INTERVAL_MILLIS = 250;
  private static final long MIN_INTERVAL_MILLIS = 10;
  private static final long JOIN_MILLIS = 10_000;

  private final KafkaOptions options;
  private final EventStore store;
  private final MonotonicClock clock;
  private final IngestState state;
  private final TopicProbe probe;
  private final TopicReader reader;
  private final LagLog lagLog;
  private final MissingBlocks missingBlocks;
  private final long intervalMillis;
  private final Thread readingThread;
  private final Thread probingThread;

  /**
   * Figures for operators.
   *
   * @param readRecordCount since the start
   * @param readBytes of their values
   * @param foreignRecordCount skipped records that contain no blocks
   * @param refusedRecordCount damaged records and records that contradict stored data, which are
   *     kept aside
   * @param lagRecordCount the known number of unread records
   * @param lagMicros the time since the last instant up to which everything was read; absent before
   *     the first
   * @param partitionCount partitions that are read
   */
  public record Figures(
      long readRecordCount,
      long readBytes,
      long foreignRecordCount,
      long refusedRecordCount,
      long lagRecordCount,
      Optional<Long> lagMicros,
      int partitionCount) {}

  private KafkaIngest(
      KafkaOptions options, EventStore store, MonotonicClock clock, Duration idleTimeout) {
    this.options = options;
    this.store = store;
    this.clock = clock;
    this.state = new IngestState(options, clock, idleTimeout.toNanos());
    this.probe = new TopicProbe(options, clock);
    try {
      this.reader = new TopicReader(options, store, state);
    } catch (RuntimeException e) {
      probe.close();
      throw e;
    }
    this.missingBlocks = new MissingBlocks(store, state);
    this.lagLog = new LagLog(clock.nanos());
    this.intervalMillis =
        Math.max(MIN_INTERVAL_MILLIS, Math.min(MAX_INTERVAL_MILLIS, idleTimeout.toMillis() / 4));
    this.readingThread = daemon(reader, "kafka-ingest");
    this.probingThread = daemon(this::probeRepeatedly, "kafka-probe");
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts reading. If no broker answers, the call waits if the topic was read before; otherwise
   * the address is assumed to be wrong.
   *
   * @param idleTimeout the lag above which live queries wait for the reading
   * @throws KafkaIngestException if the topic cannot be read
   */
  public static KafkaIngest start(
      KafkaOptions options, EventStore store, MonotonicClock clock, Duration idleTimeout) {
    if (options.brokers().isBlank()) {
      throw new KafkaIngestException(
          "no broker is given: set --kafka HOST:PORT or bootstrap.servers");
    }
    KafkaIngest ingest;
    try {
      ingest = new KafkaIngest(options, store, clock, idleTimeout);
    } catch (KafkaException e) {
      throw new KafkaIngestException(KafkaFault.of(e, options).sentence(), e);
    }
    try {
      ingest.begin();
      return ingest;
    } catch (RuntimeException e) {
      ingest.reader.close();
      ingest.probe.close();
      throw e;
    }
  }

  private void begin() {
    try {
      state.progress.probed(probe.query(QUERY_TIMEOUT_MILLIS));
      reader.follow();
    } catch (ProbeException e) {
      boolean mayComeBack =
          e.fault().kind() == KafkaFault.Kind.UNREACHABLE
              && StartPlan.isKnown(options.topic(), store.positions().keySet());
      if (!mayComeBack) {
        throw new KafkaIngestException(e.fault().sentence(), e);
      }
      state.health.trouble(Part.PROBE, e.fault().sentence());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaIngestException("interrupted while connecting to Kafka", e);
    }
    readingThread.start();
    probingThread.start();
  }

  private void probeRepeatedly() {
    while (!state.closesWithin(intervalMillis) && !state.health.isStopped()) {
      try {
        probeOnce();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        // Without this thread live queries would stop forever, and unnoticed.
        FatalErrors.check(e);
        state.health.trouble(Part.PROBE, "querying the topic failed unexpectedly: " + e);
        logger.error("querying the topic failed unexpectedly", e);
      }
    }
  }

  private void probeOnce() throws InterruptedException {
    boolean answered = tryProbe();
    lagLog.note(clock.nanos(), state);
    missingBlocks.check(clock.nanos());
    if (answered) {
      state.health.well(Part.PROBE);
    }
  }

  private boolean tryProbe() throws InterruptedException {
    try {
      state.progress.probed(probe.query(QUERY_TIMEOUT_MILLIS));
      return true;
    } catch (ProbeException e) {
      state.health.trouble(Part.PROBE, e.fault().sentence());
      return false;
    }
  }

  /** The progress of reading, for the watermark. */
  public Inflow inflow() {
    return state.progress;
  }

  /** The current failure of reading, in one sentence; empty if there is none. */
  public Optional<String> trouble() {
    return state.health.current();
  }

  /** The threads that reading requires. */
  public List<Thread> threads() {
    return List.of(readingThread, probingThread);
  }

  /** Figures for operators. */
  public Figures figures() {
    long complete = state.progress.completeAsOfNanos();
    return new Figures(
        state.records.sum(),
        state.bytes.sum(),
        state.skipped.foreignCount(),
        state.skipped.refusedCount(),
        state.progress.lagCount(),
        complete == Inflow.NEVER
            ? Optional.empty()
            : Optional.of(TimeUnit.NANOSECONDS.toMicros(Math.max(0, clock.nanos() - complete))),
        state.progress.partitionCount());
  }

  /** Stops reading; submissions in progress are stored with their positions. */
  @Override
  public void close() {
    state.close();
    reader.wakeUp();
    probingThread.interrupt();
    try {
      readingThread.join(JOIN_MILLIS);
      probingThread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    probe.close();
  }
}
