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
 * Takes events from a Kafka topic. It goes on by itself when brokers go and come back, and stops
 * only where going on would lose events. Thread-safe.
 */
public final class KafkaIngest implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(KafkaIngest.class);
  private static final long ASK_TIMEOUT_MILLIS = 6_000;
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
  private final Thread askingThread;

  /**
   * Figures for operators.
   *
   * @param readRecordCount since the start
   * @param readBytes of their values
   * @param foreignRecordCount records without blocks of ours, passed over
   * @param refusedRecordCount damaged records and ones that contradict what is stored, kept aside
   * @param lagRecordCount records that wait, as far as is known
   * @param lagMicros how long ago everything was read that was there; absent until that is so once
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
    this.askingThread = daemon(this::askAgainAndAgain, "kafka-probe");
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to read. A broker that does not answer is waited for if the topic was read before;
   * otherwise the address is taken to be wrong.
   *
   * @param idleTimeout how far behind the reading may be before live queries wait for it
   * @throws KafkaIngestException if the topic cannot be read
   */
  public static KafkaIngest start(
      KafkaOptions options, EventStore store, MonotonicClock clock, Duration idleTimeout) {
    if (options.brokers().isBlank()) {
      throw new KafkaIngestException(
          "no broker is named: give --kafka HOST:PORT, or bootstrap.servers");
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
      state.progress.probed(probe.ask(ASK_TIMEOUT_MILLIS));
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
    askingThread.start();
  }

  private void askAgainAndAgain() {
    while (!state.closesWithin(intervalMillis) && !state.health.isStopped()) {
      try {
        askOnce();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        // Without this thread live queries would stop for ever, and no one would know.
        FatalErrors.check(e);
        state.health.trouble(Part.PROBE, "asking for the topic failed unexpectedly: " + e);
        logger.error("asking for the topic failed unexpectedly", e);
      }
    }
  }

  private void askOnce() throws InterruptedException {
    boolean answered = ask();
    lagLog.note(clock.nanos(), state);
    missingBlocks.check(clock.nanos());
    if (answered) {
      state.health.well(Part.PROBE);
    }
  }

  private boolean ask() throws InterruptedException {
    try {
      state.progress.probed(probe.ask(ASK_TIMEOUT_MILLIS));
      return true;
    } catch (ProbeException e) {
      state.health.trouble(Part.PROBE, e.fault().sentence());
      return false;
    }
  }

  /** How far it has come, for the watermark. */
  public Inflow inflow() {
    return state.progress;
  }

  /** What hinders the reading now, in one sentence; empty if nothing does. */
  public Optional<String> trouble() {
    return state.health.current();
  }

  /** The threads without which nothing is read. */
  public List<Thread> threads() {
    return List.of(readingThread, askingThread);
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

  /** Ends the reading; what is handed to the store is stored with its position. */
  @Override
  public void close() {
    state.close();
    reader.wakeUp();
    askingThread.interrupt();
    try {
      readingThread.join(JOIN_MILLIS);
      askingThread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    probe.close();
  }
}
