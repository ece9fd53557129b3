// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.health.Health;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.lines.StoredArrivals;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** The HTTP API of a log server. Thread-safe. */
public final class HttpApi implements AutoCloseable {
  /** Batches that are stored concurrently: many share one sync of the disk. */
  private static final int INGEST_THREADS = 128;

  private static final int ADMIN_THREADS = 4;

  /** The threads for exports, figures and read-only statements. */
  private static final int OTHER_THREADS = 32;

  /** Few, because they wait for each other when a thousand clients return after a restart. */
  private static final int OPENING_THREADS = 4;

  private static final int MAX_WAITING = 4_096;

  /** The bits of the time of the start that distinguish it from others. */
  private static final long RUN_BITS = 0x7fffff;

  private final LiveListeners listeners = new LiveListeners();
  private final SenderEndpoints senders;
  private final ReaderEndpoints readers;
  private final AlertService alerts;
  private final QueryEngine engine;
  private final AccessControl access;
  private final Optional<ServerCertificate> certificate;
  private final RequestIntake.Threads threads;
  private final List<Route> routes;
  private final WebServer server;

  /**
   * The parts of the server that the API uses.
   *
   * @param source the views that queries read
   * @param health the health of the server
   * @param alerts whose state it shows, and for which nodes send without delay
   * @param slowQuery the duration from which a query is logged
   */
  public record Parts(
      EventStore store,
      EventSource source,
      QueryEngine engine,
      WatermarkTracker watermarks,
      Health health,
      PhysicalClock clock,
      MonotonicClock monotonicClock,
      Metrics metrics,
      AlertService alerts,
      Duration slowQuery) {}

  /**
   * An API that does not listen yet.
   *
   * @throws IllegalArgumentException if a file of the access options cannot be used
   */
  public HttpApi(
      Parts parts,
      NdjsonReader.Limits batchLimits,
      ApiLimits limits,
      AccessOptions options,
      AccessControl access) {
    this.access = access;
    certificate = options.tls().map(files -> new ServerCertificate(files, parts.clock));
    alerts = parts.alerts;
    engine = parts.engine;
    threads = threads(limits);
    SenderParts ofSenders =
        new SenderParts(parts.store, parts.store.memory(), parts.monotonicClock, parts.metrics);
    senders = new SenderEndpoints(ofSenders, batchLimits, limits, listeners, threads.ingest());
    readers = new ReaderEndpoints(readers(parts), limits, listeners);
    routes = allRoutes(parts, options);
    RequestIntake intake =
        new RequestIntake(
            new Gate(access),
            routes,
            parts.store.memory(),
            parts.monotonicClock,
            batchLimits.batchBytes(),
            limits.statementBytes(),
            threads);
    server = new WebServer(intake, routes, certificate, parts.metrics);
  }

  /**
   * Each follower of lines holds one thread throughout, each query for its duration, and each
   * stream while it is opened.
   */
  private static RequestIntake.Threads threads(ApiLimits limits) {
    int questions = limits.lineCount() + limits.queryCount() + OTHER_THREADS;
    return new RequestIntake.Threads(
        new WorkerPool("ingest", INGEST_THREADS, MAX_WAITING),
        new WorkerPool("http", questions, MAX_WAITING),
        new WorkerPool("stream", OPENING_THREADS, MAX_WAITING),
        new WorkerPool("sound", OPENING_THREADS, MAX_WAITING),
        new WorkerPool("admin", ADMIN_THREADS, MAX_WAITING));
  }

  /** All routes of the API. */
  List<Route> routes() {
    return routes;
  }

  private List<Route> allRoutes(Parts parts, AccessOptions options) {
    Map<String, IntSupplier> running = new TreeMap<>(senders.running());
    running.putAll(readers.running());
    return Stream.of(
            senders.routes(),
            readers.routes(),
            new StatusEndpoint(status(parts), options.openMetrics()).routes(),
            new ServerEndpoint(status(parts), running, Map::of).routes(),
            new AdminEndpoint(parts.store, options.backupFolder()).routes(),
            new QuarantineEndpoint(parts.store).routes(),
            new AlertsEndpoint(() -> alerts).routes(),
            new ConsoleEndpoint().routes())
        .flatMap(List::stream)
        .toList();
  }

  private static ReaderParts readers(Parts parts) {
    LateLog late = new LateLog(parts.watermarks, parts.clock.micros() & RUN_BITS);
    parts.store.addListener(late);
    return new ReaderParts(
        parts.source,
        parts.engine,
        new StreamingQuery.Parts(
            parts.engine, parts.source, parts.watermarks, late, parts.monotonicClock),
        new LineFollower.Parts(
            () -> StoredArrivals.in(parts.store),
            parts.source,
            () -> offsets(parts.source),
            parts.watermarks,
            parts.clock,
            parts.monotonicClock),
        Tiles.of(() -> parts.store.openTimeline(offsets(parts.source))),
        Optional::empty,
        parts.store.memory(),
        parts.metrics,
        parts.slowQuery);
  }

  private static ClockOffsets offsets(EventSource source) {
    try (EventSource.View view = source.open()) {
      return view.clockOffsets();
    }
  }

  private static StatusParts status(Parts parts) {
    EventStore store = parts.store;
    return new StatusParts(
        parts.source,
        parts.watermarks,
        parts.health,
        parts.clock,
        parts.metrics,
        store.memory(),
        store::figures,
        () -> store.figures().doubts(),
        store::losses,
        () -> store.rejected().rejectedCount());
  }

  /** Whether a query over stored events runs. */
  public boolean isAnswering() {
    return readers.isAnswering();
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if that is not possible; the message is one sentence with the
   *     reason
   */
  public void listen(String host, int port) {
    server.listen(host, port);
  }

  /** The URL scheme, http or https. */
  public String scheme() {
    return server.scheme();
  }

  /** The port on which it listens. */
  public int port() {
    return server.port();
  }

  /** Reloads changed files of tokens and certificates. Never throws. */
  public void refresh() {
    access.refresh();
    certificate.ifPresent(ServerCertificate::refresh);
    senders.refresh();
    alerts.refresh();
    listeners.listenFor(LiveListeners.Other.ALERTS, alerts.alertCount() > 0);
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    readers.close();
    listeners.close();
    server.close();
    engine.killAll();
    threads.ingest().close();
    threads.questions().close();
    threads.streams().close();
    threads.sounds().close();
    threads.administration().close();
  }
}
