// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.health.Health;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.ingest.OtlpReader;
import io.retroscope.server.ingest.OtlpSignal;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import io.retroscope.server.store.EventStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The HTTP API of a log server. Thread-safe. */
public final class HttpApi implements AutoCloseable {
  /** Batches that are stored concurrently: many share one sync of the disk. */
  private static final int INGEST_THREADS = 128;

  private static final int ADMIN_THREADS = 4;

  /** The threads for exports, figures and read-only statements. */
  private static final int OTHER_THREADS = 32;

  private static final int MAX_WAITING = 4_096;

  private final Parts parts;
  private final Metrics metrics;
  private final EventsEndpoint events;
  private final LiveListeners listeners = new LiveListeners();
  private final OtlpEndpoint otlp;
  private final EventSocketEndpoint eventSocket;
  private final ExportEndpoint export;
  private final QueryEndpoint query;
  private final StreamEndpoint stream;
  private final LinesEndpoint lines;
  private final QuarantineEndpoint quarantine;
  private final StatusEndpoint status;
  private final TimelineEndpoint timeline;
  private final HistoryEndpoint history;
  private final StatementEndpoint statements;
  private final AdminEndpoint admin;
  private final AlertService alerts;

  /** Lets nodes send without delay; empty while there is no alert. Guarded by itself. */
  private final Deque<LiveListeners.Listener> hurry = new ArrayDeque<>(1);

  private final boolean openMetrics;
  private final AccessControl access;
  private final Optional<ServerCertificate> certificate;
  private final RequestIntake.Threads threads;
  private final List<Route> routes;
  private final QueryEngine engine;
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
    this.parts = parts;
    this.access = access;
    certificate = options.tls().map(files -> new ServerCertificate(files, parts.clock));
    openMetrics = options.openMetrics();
    admin = new AdminEndpoint(parts.store, options.backupFolder());
    alerts = parts.alerts;
    metrics = parts.metrics;
    engine = parts.engine;
    threads =
        new RequestIntake.Threads(
            new WorkerPool("ingest", INGEST_THREADS, MAX_WAITING),
            new WorkerPool("http", questionThreads(limits), MAX_WAITING),
            new WorkerPool("stream", limits.streamCount() + OTHER_THREADS, MAX_WAITING),
            new WorkerPool("admin", ADMIN_THREADS, MAX_WAITING));
    events =
        new EventsEndpoint(
            parts.store, new BatchReader(batchLimits), limits.ingestCount(), metrics);
    otlp = new OtlpEndpoint(events, new OtlpReader(batchLimits.batchBytes()));
    eventSocket =
        new EventSocketEndpoint(
            events,
            parts.store,
            parts.monotonicClock,
            listeners,
            threads.ingest(),
            limits.socketCount());
    export = new ExportEndpoint(parts.source);
    query = new QueryEndpoint(engine, limits, parts.monotonicClock, metrics, parts.slowQuery);
    stream = new StreamEndpoint(parts, listeners, limits);
    lines = new LinesEndpoint(parts, listeners, limits.lineCount());
    status = new StatusEndpoint(parts);
    timeline = timelineEndpoint(parts);
    history = historyEndpoint(parts);
    statements = new StatementEndpoint(engine, parts.source);
    quarantine = new QuarantineEndpoint(parts.store);
    metrics.show(Reading.QUERIES_RUNNING, query::runningCount);
    metrics.show(Reading.STREAMS_RUNNING, stream::runningCount);
    metrics.show(Reading.LINES_RUNNING, lines::runningCount);
    metrics.show(Reading.BATCHES_READING, events::readingCount);
    metrics.show(Reading.SOCKETS_OPEN, eventSocket::openCount);
    routes = allRoutes();
    RequestIntake intake =
        new RequestIntake(
            new Gate(access),
            routes,
            parts.store.memory(),
            parts.monotonicClock,
            batchLimits.batchBytes(),
            limits.statementBytes(),
            threads);
    server = new WebServer(intake, routes, certificate, metrics);
  }

  /** Each follower of lines holds one thread throughout, each query for its duration. */
  private static int questionThreads(ApiLimits limits) {
    return limits.lineCount() + limits.queryCount() + OTHER_THREADS;
  }

  /** All routes of the API. */
  List<Route> routes() {
    return routes;
  }

  private List<Route> allRoutes() {
    List<Route> own =
        List.of(
            new Route.Post("/v1/events", Access.WRITE, BatchReader.MEDIA_TYPES, events::post),
            new Route.Post(
                "/v1/logs",
                Access.WRITE,
                OtlpEndpoint.MEDIA_TYPES,
                context -> otlp.post(OtlpSignal.LOGS, context)),
            new Route.Post(
                "/v1/traces",
                Access.WRITE,
                OtlpEndpoint.MEDIA_TYPES,
                context -> otlp.post(OtlpSignal.SPANS, context)),
            new Route.Socket(
                "/v1/events/socket",
                Access.WRITE,
                (request, response) -> eventSocket.socket(request)),
            new Route.Get("/v1/events", Access.READ, Gate.asQuery(metrics, export::get)),
            new Route.Post(
                "/v1/query",
                Access.READ,
                StatementBody.MEDIA_TYPES,
                Gate.asQuery(metrics, query::post)),
            new Route.Get("/v1/query", Access.READ, Gate.asQuery(metrics, query::get)),
            new Route.Get(
                "/v1/stream",
                Access.READ,
                Gate.asStreams(metrics, StreamEndpoint::queryCount, stream::get)),
            new Route.Get(
                "/v1/lines", Access.READ, Gate.asStreams(metrics, context -> 1, lines::get)),
            new Route.Get("/v1/nodes", Access.READ, status::nodes),
            new Route.Get(TimelineEndpoint.PATH, Access.READ, Gate.asQuery(metrics, timeline::get)),
            new Route.Get("/v1/health", Access.READ, status::health),
            new Route.Get("/health/live", Access.OPEN, context -> context.result("alive\n")),
            new Route.Get("/health/ready", Access.OPEN, status::ready),
            new Route.Get("/metrics", openMetrics ? Access.OPEN : Access.READ, this::metrics));
    return Stream.of(
            own,
            admin.routes(),
            quarantine.routes(),
            new AlertsEndpoint(alerts).routes(),
            new ConsoleEndpoint().routes(),
            new CatalogEndpoint(parts.source).routes(),
            history.routes(),
            statements.routes(),
            server().routes())
        .flatMap(List::stream)
        .toList();
  }

  private static TimelineEndpoint timelineEndpoint(Parts parts) {
    return new TimelineEndpoint(
        () -> timelineBlocks(parts),
        TileMaker.Limits.DEFAULT,
        parts.store.memory(),
        () -> parts.watermarks.current().hlc());
  }

  private static HistoryEndpoint historyEndpoint(Parts parts) {
    return new HistoryEndpoint(
        parts.source,
        parts.store.memory(),
        new SilenceLimits(parts.engine.limits().idleTimeoutMicros()),
        parts.metrics);
  }

  private static TimelineBlocks timelineBlocks(Parts parts) {
    try (EventSource.View view = parts.source.open()) {
      return parts.store.openTimeline(view.clockOffsets());
    }
  }

  private ServerEndpoint server() {
    return new ServerEndpoint(
        parts,
        Map.of(
            "queries", query::runningCount,
            "streams", stream::runningCount,
            "lines", lines::runningCount,
            "batches", events::readingCount,
            "sockets", eventSocket::openCount));
  }

  /** Whether a query over stored events runs. */
  public boolean isAnswering() {
    return query.runningCount() > 0;
  }

  private void metrics(Context context) {
    context.contentType(Metrics.MEDIA_TYPE).result(metrics.text());
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
    eventSocket.refresh();
    alerts.refresh();
    hurryForAlerts();
  }

  private void hurryForAlerts() {
    synchronized (hurry) {
      boolean isWanted = alerts.alertCount() > 0;
      if (isWanted && hurry.isEmpty()) {
        hurry.add(listeners.listen());
      } else if (!isWanted && !hurry.isEmpty()) {
        hurry.remove().close();
      }
    }
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    stream.close();
    lines.close();
    listeners.close();
    server.close();
    engine.killAll();
    threads.ingest().close();
    threads.questions().close();
    threads.streams().close();
    threads.administration().close();
  }
}
