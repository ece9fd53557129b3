// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinBindException;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.health.Health;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.ingest.OtlpReader;
import io.retroscope.server.ingest.OtlpSignal;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.disk.StoreException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP API of a log server. Thread-safe. */
public final class HttpApi implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(HttpApi.class);

  /**
   * The longest time for which the HTTP server may take to stop: it waits for its own threads
   * without a limit.
   */
  private static final long STOP_MILLIS = 10_000;

  /** A STREAM statement is part of the request line. */
  static final int HEADER_BYTES = 64 * 1024;

  /** Batches that are stored concurrently: many share one sync of the disk. */
  private static final int INGEST_THREADS = 128;

  private static final int ADMIN_THREADS = 4;

  /** The threads for exports, figures and read-only statements. */
  private static final int OTHER_THREADS = 32;

  private static final int MAX_WAITING = 4_096;

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
  private final AdminEndpoint admin;
  private final AlertService alerts;

  /** Lets nodes send without delay; empty while there is no alert. Guarded by itself. */
  private final Deque<LiveListeners.Listener> hurry = new ArrayDeque<>(1);

  private final boolean openMetrics;
  private final AccessControl access;
  private final Optional<ServerCertificate> certificate;
  private final WebConnector connector;
  private final RequestIntake.Threads threads;
  private final List<Route> routes;
  private final RequestIntake intake;
  private final QueryEngine engine;
  private final Javalin javalin;

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
    connector = new WebConnector(certificate);
    openMetrics = options.openMetrics();
    admin = new AdminEndpoint(parts.store, options.backupFolder());
    alerts = parts.alerts;
    metrics = parts.metrics;
    engine = parts.engine;
    threads =
        new RequestIntake.Threads(
            new WorkerPool("ingest", INGEST_THREADS, MAX_WAITING),
            new WorkerPool("http", questionThreads(limits), MAX_WAITING),
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
    query = new QueryEndpoint(parts, limits);
    stream = new StreamEndpoint(parts, listeners, limits);
    lines = new LinesEndpoint(parts, listeners, limits.streamCount());
    status = new StatusEndpoint(parts);
    timeline = new TimelineEndpoint(parts);
    quarantine = new QuarantineEndpoint(parts.store);
    metrics.show(Reading.QUERIES_RUNNING, query::runningCount);
    metrics.show(Reading.STREAMS_RUNNING, stream::runningCount);
    metrics.show(Reading.LINES_RUNNING, lines::runningCount);
    metrics.show(Reading.BATCHES_READING, events::readingCount);
    metrics.show(Reading.SOCKETS_OPEN, eventSocket::openCount);
    routes = allRoutes();
    intake =
        new RequestIntake(
            new Gate(access),
            routes,
            parts.store.memory(),
            parts.monotonicClock,
            batchLimits.batchBytes(),
            limits.statementBytes(),
            threads);
    javalin = Javalin.create(this::configure);
  }

  /**
   * Each stream and each follower of lines holds one thread throughout, each query for its
   * duration.
   */
  private static int questionThreads(ApiLimits limits) {
    return 2 * limits.streamCount() + limits.queryCount() + OTHER_THREADS;
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.compressionStrategy = CompressionStrategy.NONE;
    config.router.javaLangErrorHandler(this::fatal);
    config.jetty.modifyServer(
        server -> {
          server.setHandler(intake);
          server.setErrorHandler(new RefusedRequests());
        });
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setSendServerVersion(false);
          http.setRequestHeaderSize(HEADER_BYTES);
        });
    config.jetty.modifyWebSocketServletFactory(EventSocketEndpoint::configure);
    config.jetty.addConnector(connector::connector);
    // The gate compares paths as they are.
    config.router.ignoreTrailingSlashes = false;
    routes.forEach(route -> route.register(config));
    configureErrors(config);
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
            new Route.Get("/v1/stream", Access.READ, Gate.asStream(metrics, stream::get)),
            new Route.Get("/v1/lines", Access.READ, Gate.asStream(metrics, lines::get)),
            new Route.Get("/v1/logs", Access.READ, status::logs),
            new Route.Get("/v1/nodes", Access.READ, status::nodes),
            new Route.Get("/v1/alignment", Access.READ, status::alignment),
            new Route.Get(TimelineEndpoint.PATH, Access.READ, Gate.asQuery(metrics, timeline::get)),
            new Route.Get("/v1/health", Access.READ, status::health),
            new Route.Get("/health/live", Access.OPEN, context -> context.result("alive\n")),
            new Route.Get("/health/ready", Access.OPEN, status::ready),
            new Route.Get("/metrics", openMetrics ? Access.OPEN : Access.READ, this::metrics));
    return Stream.of(own, admin.routes(), quarantine.routes(), new AlertsEndpoint(alerts).routes())
        .flatMap(List::stream)
        .toList();
  }

  /** Whether a query over stored events runs. */
  public boolean isAnswering() {
    return query.runningCount() > 0;
  }

  private void metrics(Context context) {
    context.contentType(Metrics.MEDIA_TYPE).result(metrics.text());
  }

  private void configureErrors(JavalinConfig config) {
    config.routes.exception(
        ProblemException.class, (e, context) -> problem(context, e.status(), e.json()));
    config.routes.exception(
        RqlException.class, (e, context) -> problem(context, 400, ProblemJson.text(400, e)));
    config.routes.exception(
        HttpResponseException.class,
        (e, context) ->
            problem(
                context,
                e.getStatus(),
                ProblemJson.text(
                    e.getStatus(), "The request was refused", String.valueOf(e.getMessage()))));
    config.routes.exception(
        StoreException.class,
        (e, context) ->
            problem(
                context,
                503,
                ProblemJson.text(503, "The store failed", String.valueOf(e.getMessage()))));
    config.routes.exception(
        IOException.class,
        (e, context) ->
            problem(
                context,
                400,
                ProblemJson.text(400, "The request was cut off", "its body could not be read")));
    config.routes.exception(Exception.class, this::unexpected);
  }

  private void fatal(HttpServletResponse response, Error failure) {
    FatalErrors.check(failure);
    metrics.increment(Count.REQUESTS_FAILED);
    logger.error("a request failed", failure);
    response.setStatus(500);
  }

  private void unexpected(Exception e, Context context) {
    metrics.increment(Count.REQUESTS_FAILED);
    logger.error("{} {} failed", context.method(), context.path(), e);
    problem(context, 500, ProblemJson.text(500, "The server failed", "see the server's log"));
  }

  private static void problem(Context context, int status, String json) {
    if (!context.res().isCommitted()) {
      boolean mayTryAgain = status == 429 || status == 503;
      if (mayTryAgain && context.res().getHeader("Retry-After") == null) {
        context.header("Retry-After", "1");
      }
      context
          .status(status)
          .contentType(ProblemJson.MEDIA_TYPE)
          .result(json.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if that is not possible; the message is one sentence with the
   *     reason
   */
  public void listen(String host, int port) {
    connector.at(host, port);
    try {
      javalin.start(host, port);
    } catch (JavalinBindException e) {
      throw new IllegalStateException(
          "cannot listen on "
              + host
              + ":"
              + port
              + ": is the port in use, or the address not this machine's?",
          e);
    }
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

  /** The URL scheme, http or https. */
  public String scheme() {
    return certificate.isPresent() ? "https" : "http";
  }

  /** The port on which it listens. */
  public int port() {
    return javalin.port();
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    stream.close();
    lines.close();
    listeners.close();
    stop(javalin::stop, STOP_MILLIS);
    engine.killAll();
    threads.ingest().close();
    threads.questions().close();
    threads.administration().close();
  }

  /**
   * Returns when the server has stopped or seems to hang, because the store must be closed next.
   */
  static void stop(Runnable server, long timeoutMillis) {
    Thread stopping = new Thread(() -> stopLogged(server), "http-stop");
    stopping.setDaemon(true);
    stopping.start();
    try {
      stopping.join(timeoutMillis);
      if (stopping.isAlive()) {
        logger.error(
            "the HTTP server has not stopped within {} ms and is left as it is; its threads: {}",
            timeoutMillis,
            threads());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stopLogged(Runnable server) {
    try {
      server.run();
    } catch (RuntimeException e) {
      logger.error("the HTTP server did not stop in order", e);
    }
  }

  private static String threads() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread.getName().startsWith("Jetty") || thread.getName().equals("http-stop")) {
                text.append('\n').append(thread);
                for (StackTraceElement frame : stack) {
                  text.append("\n    at ").append(frame);
                }
              }
            });
    return text.toString();
  }
}
