// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static java.util.stream.Collectors.toSet;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.HostNames;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.api.HttpApi;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.health.Health;
import io.retroscope.server.health.ThreadWatch;
import io.retroscope.server.kafka.KafkaIngest;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.QuarantineSelection;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.net.URI;
import java.util.Collection;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running log server, which receives, stores and queries events. Thread-safe. */
public final class LogServer implements AutoCloseable {
  private static final long GAP_PERIOD_MILLIS = 1_000;

  /** The interval at which files of tokens and certificates are checked for changes. */
  private static final long REFRESH_PERIOD_MILLIS = 1_000;

  private static final long RETENTION_PERIOD_SECONDS = 60;
  private static final long RELEASE_PERIOD_MILLIS = 1_000;

  /** The longest wait for a tick that is underway. */
  private static final long END_SECONDS = 5;

  private static final Logger logger = LoggerFactory.getLogger(LogServer.class);

  private final ServerConfig config;
  private final Metrics metrics;
  private final EventStore store;
  private final EventSource source;
  private final ClockAlignment alignment;
  private final Thread replay = new Thread(this::replay, "alignment-replay");
  private final WatermarkTracker watermarks;
  private final Health health = new Health();
  private final ThreadWatch threads = new ThreadWatch();
  private final WriteProof writeProof;
  private final NodeLog nodeLog;
  private final ScheduledExecutorService ticker;
  private final ScheduledExecutorService retention;
  private final ScheduledExecutorService sealing;

  private final Optional<KafkaIngest> kafka;
  private final AlertService alerts;
  private final HttpApi api;
  private volatile Optional<WarmUp> warmUp = Optional.empty();

  private LogServer(ServerConfig config, EventStore store, Metrics metrics, AccessControl access) {
    this.config = config;
    this.metrics = metrics;
    this.store = store;
    watermarks =
        new WatermarkTracker(
            config.monotonicClock(),
            config.clock(),
            config.idleTimeout().toNanos(),
            store.incarnations());
    watermarks.awaitKnown(config.restartGrace().toNanos());
    store.addListener(watermarks);
    alignment = new ClockAlignment(config.alignment());
    store.addListener(new AlignmentFeed(alignment));
    source = () -> store.open(alignment.offsets(), watermarks::holders);
    kafka =
        config
            .kafka()
            .map(
                options ->
                    KafkaIngest.start(
                        options, store, config.monotonicClock(), config.idleTimeout()));
    kafka.ifPresent(ingest -> watermarks.addInflow(ingest.inflow()));
    writeProof = new WriteProof(store, config.monotonicClock());
    alerts = alerts(config);
    nodeLog = new NodeLog(TimeUnit.NANOSECONDS.toMicros(config.idleTimeout().toNanos()));
    addChecks(config);
    HttpApi.Parts parts =
        new HttpApi.Parts(
            store,
            source,
            new QueryEngine(
                source,
                config.queryLimits(),
                new ServerPresent(config.clock(), watermarks),
                new NodeAdministration(store::forget, watermarks),
                alerts),
            watermarks,
            health,
            config.clock(),
            config.monotonicClock(),
            metrics,
            alerts,
            config.slowQuery());
    api = new HttpApi(parts, config.batchLimits(), config.apiLimits(), config.access(), access);
    ticker = scheduler("watermark");
    retention = scheduler("retention");
    sealing = scheduler("sealing");
    showReadings();
  }

  /** The alerts, with an engine of their own, whose queries no client sees or ends. */
  private AlertService alerts(ServerConfig config) {
    LateLog late = new LateLog(watermarks, 0);
    store.addListener(late);
    QueryEngine engine =
        new QueryEngine(
            source,
            config.queryLimits(),
            new ServerPresent(config.clock(), watermarks),
            new NodeAdministration(store::forget, watermarks));
    return new AlertService(
        config.alerts(),
        new StreamingQuery.Parts(engine, source, watermarks, late, config.monotonicClock()),
        store,
        config.clock(),
        () -> uri().toString());
  }

  private void showReadings() {
    ServerReadings readings = new ServerReadings(metrics);
    readings.show(store);
    readings.show(source);
    readings.show(health, threads);
    readings.show(watermarks, config.clock());
    readings.show(() -> Optional.of(alerts));
    kafka.ifPresent(readings::show);
    metrics.showProcess();
  }

  private void addChecks(ServerConfig config) {
    WatermarkLag lag = new WatermarkLag(watermarks, config.clock());
    store.addListener(lag);
    health.add(threads);
    health.add(store::writeTrouble);
    health.add(writeProof);
    health.add(store::damage);
    health.add(lag);
    health.addNotice(watermarks::clockTrouble);
    health.add(alerts);
    kafka.ifPresent(ingest -> health.add(ingest::trouble));
    threads.add(store.writingThread());
    kafka.ifPresent(ingest -> ingest.threads().forEach(threads::add));
  }

  /**
   * Starts a log server.
   *
   * @throws ServerException if that is not possible; the message is one sentence with the reason
   */
  public static LogServer start(ServerConfig config) {
    logger.info("starting: {}", StartLine.of(config, config.retention() != Retention.KEEP_ALL));
    AccessControl access = access(config, config.access());
    Metrics metrics = new Metrics(config.monotonicClock()::nanos);
    EventStore store;
    try {
      store = EventStore.open(config.dataDirectory(), config.store(), config.clock(), metrics);
    } catch (StoreException e) {
      throw new ServerException(String.valueOf(e.getMessage()), e);
    }
    LogServer server;
    try {
      server = new LogServer(config, store, metrics, access);
    } catch (KafkaIngestException | IllegalArgumentException e) {
      store.close();
      throw new ServerException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
    try {
      server.begin();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e instanceof IllegalStateException
          ? new ServerException(String.valueOf(e.getMessage()), e)
          : e;
    }
  }

  /** The check of callers by some options, which must guard a server that others can reach. */
  static AccessControl access(ServerConfig config, AccessOptions options) {
    try {
      if (!HostNames.isLoopback(config.host()) && !options.isGuarded()) {
        throw new ServerException(
            "other machines reach "
                + config.host()
                + ", so tokens are needed: write a line \"operator admin,write TOKEN\" to a file"
                + " (TOKEN as from openssl rand -hex 32), chmod 600 it, and start with --tokens"
                + " FILE; or set "
                + AccessOptions.TOKENS_VARIABLE
                + " to the line");
      }
      return new AccessControl(options, config.host(), () -> config.monotonicClock().nanos());
    } catch (IllegalArgumentException e) {
      throw new ServerException(String.valueOf(e.getMessage()), e);
    }
  }

  private void begin() {
    replay.setDaemon(true);
    replay.start();
    api.listen(config.host(), config.port());
    alerts.start();
    new WatermarkTicker(watermarks, ticker).begin();
    ScheduledFuture<?> unusedToo =
        ticker.scheduleWithFixedDelay(
            new StuckRuns(watermarks, store, store.memory(), node -> true)::declareLost,
            GAP_PERIOD_MILLIS,
            GAP_PERIOD_MILLIS,
            TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedFifth =
        ticker.scheduleWithFixedDelay(
            api::refresh, REFRESH_PERIOD_MILLIS, REFRESH_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedAsWell =
        ticker.scheduleAtFixedRate(this::watch, 0, WriteProof.PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    new SealingTask(store, watermarks, config.clock(), config.monotonicClock(), sealing).begin();
    if (config.retention() != Retention.KEEP_ALL) {
      ScheduledFuture<?> unusedFourth =
          retention.scheduleWithFixedDelay(
              this::retain, RETENTION_PERIOD_SECONDS, RETENTION_PERIOD_SECONDS, TimeUnit.SECONDS);
    }
    if (config.releaseQuarantined()) {
      ScheduledFuture<?> unusedSixth =
          retention.scheduleWithFixedDelay(
              this::releaseQuarantined,
              RELEASE_PERIOD_MILLIS,
              RELEASE_PERIOD_MILLIS,
              TimeUnit.MILLISECONDS);
    }
    logger.info("listening at {}, {} blocks stored", uri(), store.figures().blockCount());
    if (config.warmUp()) {
      warmUp = Optional.of(warmUp());
      warmUp.get().begin();
    }
  }

  private WarmUp warmUp() {
    boolean isOpen = !config.access().isGuarded() && config.access().tls().isEmpty();
    return new WarmUp(
        config.dataDirectory().resolve("warm-up"),
        api::isAnswering,
        Optional.of(uri()).filter(address -> isOpen),
        WarmUp.Extent.DEFAULT,
        CompilerUse.ofProcess(config.monotonicClock()));
  }

  /** Reads the evidence about clocks from before the start, while new events already arrive. */
  private void replay() {
    try (EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      Set<String> logs = view.logs().stream().map(Catalog.LogDescription::name).collect(toSet());
      Iterator<Event> events = view.scan(logs, HlcRange.ALL);
      while (events.hasNext() && !Thread.currentThread().isInterrupted()) {
        alignment.record(events.next());
      }
      alignment.endHistory();
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("clocks are aligned from new events only: the stored ones cannot be read", e);
    }
  }

  private void retain() {
    try {
      int count = store.retain(config.retention());
      if (count > 0) {
        logger.info("retention has removed {} blocks", count);
      }
      store.expire(watermarks::isHeardFrom);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      if (!retention.isShutdown()) {
        logger.error("retention failed", e);
      }
    }
  }

  /** Stores quarantined events whose stamps are no longer in the future. */
  private void releaseQuarantined() {
    try {
      HlcRange past =
          new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.pack(config.clock().micros()));
      Receipt receipt = store.releaseQuarantined(new QuarantineSelection(Set.of(), past));
      if (receipt.accepted() > 0) {
        logger.info("{} events have left quarantine", receipt.accepted());
      }
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("quarantined events could not be released", e);
    }
  }

  /** Checks health periodically, so that changes are logged even without requests. */
  private void watch() {
    try {
      writeProof.write();
      Optional<String> unused = health.trouble();
      Optional<String> unusedNotice = health.notice();
      nodeLog.note(watermarks.lanes());
      try (EventSource.View view = source.open()) {
        nodeLog.noteOverlaps(view.overlaps(HlcRange.ALL));
      }
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("health could not be checked", e);
    }
  }

  private static ScheduledExecutorService scheduler(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** The port on which it listens. */
  public int port() {
    return api.port();
  }

  /** The address at which clients reach it. */
  public URI uri() {
    String host = config.host().contains(":") ? "[" + config.host() + "]" : config.host();
    return URI.create(api.scheme() + "://" + host + ":" + port());
  }

  /** The stored events, for a program that runs the server in its own process. */
  public EventSource events() {
    return source;
  }

  /**
   * Ends live queries, writes the backlog, and releases the port and the directory; the directory
   * is released even if another step fails.
   */
  @Override
  public void close() {
    logger.info("stopping");
    warmUp.ifPresent(WarmUp::close);
    try {
      alerts.close();
      api.close();
      endTicks(); // It would find that threads have ended.
      kafka.ifPresent(KafkaIngest::close);
    } finally {
      ticker.shutdownNow();
      retention.shutdownNow();
      sealing.shutdownNow();
      endReplay();
      try {
        store.close();
      } finally {
        metrics.close();
      }
      logger.info("stopped");
    }
  }

  private void endTicks() {
    ticker.shutdownNow();
    try {
      boolean unused = ticker.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void endReplay() {
    replay.interrupt();
    try {
      replay.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Passes stored events on to the alignment. */
  private record AlignmentFeed(ClockAlignment alignment) implements StoreListener {
    @Override
    public void stored(EventBlock block) {
      alignment.record(block);
    }

    @Override
    public void heard(Collection<Incarnation> incarnations) {}
  }
}
