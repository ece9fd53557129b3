// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.alert.AlertsElsewhereException;
import io.retroscope.server.cluster.Cluster;
import io.retroscope.server.cluster.Readings;
import io.retroscope.server.health.Health;
import io.retroscope.server.health.Release;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The HTTP API of a server in a cluster: events to the topic, queries over all partitions, past and
 * live, and the readings of other servers. What a single server does beyond that is refused with a
 * sentence. Thread-safe.
 */
public final class ClusterApi implements AutoCloseable {
  private static final int INGEST_THREADS = 128;

  /**
   * The threads for the scans of other servers and for those that follow, besides those of queries.
   */
  private static final int READING_THREADS = 288 + Readings.MAX_FOLLOWERS;

  /** The threads for requests that are refused while all streams run. */
  private static final int OTHER_THREADS = 32;

  private static final int ADMIN_THREADS = 2;
  private static final int MAX_WAITING = 4_096;

  private final Parts parts;
  private final RequestIntake.Threads threads;
  private final Optional<ServerCertificate> certificate;
  private final AccessControl access;
  private final EventsEndpoint events;
  private final LiveListeners listeners = new LiveListeners();
  private final StreamEndpoint stream;
  private final LinesEndpoint lines;
  private final QueryEndpoint query;
  private final ExportEndpoint export;
  private final WebServer server;

  /**
   * The parts of the server that the API uses.
   *
   * @param alerts throws {@link AlertsElsewhereException} if they are evaluated elsewhere
   * @param slowQuery the duration from which a query is logged
   */
  public record Parts(
      Cluster cluster,
      QueryEngine engine,
      Supplier<AlertService> alerts,
      Health health,
      MemoryBudget memory,
      PhysicalClock clock,
      MonotonicClock monotonicClock,
      Metrics metrics,
      Duration slowQuery) {}

  /**
   * An API that does not listen yet.
   *
   * @throws IllegalArgumentException if a file of the access options cannot be used
   */
  public ClusterApi(
      Parts parts,
      NdjsonReader.Limits batchLimits,
      ApiLimits limits,
      AccessOptions options,
      AccessControl access) {
    this.parts = parts;
    this.access = access;
    certificate = options.tls().map(files -> new ServerCertificate(files, parts.clock));
    threads = threads(limits);
    EventSource source = parts.cluster.source();
    events =
        new EventsEndpoint(
            parts.cluster.intake(),
            new BatchReader(batchLimits),
            limits.ingestCount(),
            parts.metrics);
    query =
        new QueryEndpoint(
            parts.engine, limits, parts.monotonicClock, parts.metrics, parts.slowQuery);
    export = new ExportEndpoint(source);
    stream =
        new StreamEndpoint(
            new LiveParts(
                parts.cluster.following(parts.engine), parts.memory, parts.clock, parts.metrics),
            listeners,
            limits);
    LineParts ofLines =
        new LineParts(
            source,
            new LineFollower.Parts(
                parts.cluster::arrivals,
                parts.cluster.present(),
                () -> ClockOffsets.UNKNOWN,
                parts.cluster.watermarks(),
                parts.clock,
                parts.monotonicClock),
            parts.metrics);
    lines = new LinesEndpoint(ofLines, listeners, limits.lineCount());
    showCounts();
    List<Route> routes = allRoutes(options.openMetrics());
    RequestIntake intake =
        new RequestIntake(
            new Gate(access),
            routes,
            parts.memory,
            parts.monotonicClock,
            batchLimits.batchBytes(),
            limits.statementBytes(),
            threads);
    server = new WebServer(intake, routes, certificate, parts.metrics);
  }

  private static RequestIntake.Threads threads(ApiLimits limits) {
    int questions = limits.queryCount() + limits.lineCount() + READING_THREADS;
    return new RequestIntake.Threads(
        new WorkerPool("ingest", INGEST_THREADS, MAX_WAITING),
        new WorkerPool("http", questions, MAX_WAITING),
        new WorkerPool("stream", OTHER_THREADS, MAX_WAITING),
        new WorkerPool("sound", OTHER_THREADS, MAX_WAITING),
        new WorkerPool("admin", ADMIN_THREADS, MAX_WAITING));
  }

  private void showCounts() {
    parts.metrics.show(Reading.LINES_RUNNING, lines::runningCount);
    parts.metrics.show(Reading.STREAMS_RUNNING, stream::runningCount);
    parts.metrics.show(Reading.QUERIES_RUNNING, query::runningCount);
    parts.metrics.show(Reading.BATCHES_READING, events::readingCount);
  }

  private List<Route> allRoutes(boolean openMetrics) {
    List<Route> routes = new ArrayList<>(ownRoutes(openMetrics));
    routes.addAll(new StatementEndpoint(parts.engine, parts.cluster.source()).routes());
    routes.addAll(new ReadingsEndpoint(parts.cluster.readings()).routes());
    routes.addAll(new AlertsEndpoint(parts.alerts).routes());
    routes.addAll(new QuarantineEndpoint(parts.cluster.quarantine()).routes());
    routes.addAll(ClusterRefusals.routes());
    routes.replaceAll(new AlertForwarding(parts.cluster)::of);
    return routes;
  }

  private List<Route> ownRoutes(boolean openMetrics) {
    return List.of(
        new Route.Post("/v1/events", Access.WRITE, BatchReader.MEDIA_TYPES, events::post),
        new Route.Get("/v1/events", Access.READ, Gate.asQuery(parts.metrics, export::get)),
        new Route.Post(
            "/v1/query",
            Access.READ,
            StatementBody.MEDIA_TYPES,
            Gate.asQuery(parts.metrics, query::post)),
        new Route.Get("/v1/query", Access.READ, Gate.asQuery(parts.metrics, query::get)),
        new Route.Get(
            "/v1/stream",
            Access.READ,
            Gate.asStreams(parts.metrics, StreamEndpoint::queryCount, this::stream)),
        new Route.Get("/v1/lines", Access.READ, Gate.asStream(parts.metrics, this::lines)),
        new Route.Get("/v1/cluster", Access.READ, this::cluster),
        new Route.Get("/v1/health", Access.READ, this::health),
        new Route.Get("/health/live", Access.OPEN, context -> context.result("alive\n")),
        new Route.Get("/health/ready", Access.OPEN, this::ready),
        new Route.Get("/metrics", openMetrics ? Access.OPEN : Access.READ, this::metrics));
  }

  private CompletableFuture<Void> stream(Context context) throws IOException {
    checkComplete(context, "No live query can begin yet");
    return stream.get(context);
  }

  private void lines(Context context) throws InterruptedException {
    if (context.queryParam("follow") != null) {
      checkComplete(context, "Lines cannot be followed yet");
    }
    lines.get(context);
  }

  private void checkComplete(Context context, String title) {
    Optional<String> reason = parts.cluster.incompleteness();
    if (reason.isPresent()) {
      context.header("Retry-After", "1");
      throw ProblemException.of(503, title, reason.get());
    }
  }

  private void ready(Context context) {
    boolean ready = parts.health.trouble().isEmpty();
    context.status(ready ? 200 : 503).result(ready ? "ready\n" : "not ready\n");
  }

  private void health(Context context) {
    Optional<String> trouble = parts.health.trouble();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("ready", trouble.isEmpty());
    answer.put("version", Release.VERSION);
    trouble.ifPresent(sentence -> answer.put("trouble", sentence));
    answer(context, answer);
  }

  /** Which server has which partition, and how far the ones here are. */
  private void cluster(Context context) {
    List<Map<String, Object>> servers = new ArrayList<>();
    for (Cluster.Instance server : parts.cluster.instances()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("address", server.host() + ":" + server.port());
      entry.put("owned", List.copyOf(server.owned()));
      entry.put("copies", List.copyOf(server.copies()));
      servers.add(entry);
    }
    Map<String, Object> offsets = new LinkedHashMap<>();
    parts
        .cluster
        .offsets()
        .forEach((partition, offset) -> offsets.put(Integer.toString(partition), offset));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("partitions", parts.cluster.partitionCount());
    answer.put("servers", servers);
    answer.put("offsetsHere", offsets);
    answer.put("watermark", HlcTimestamp.text(parts.cluster.watermarks().current().hlc()));
    answer.put("waitsFor", parts.cluster.watermarks().holdingInflows());
    parts.cluster.unsuitable().ifPresent(sentence -> answer.put("topic", sentence));
    answer(context, answer);
  }

  private static void answer(Context context, Map<String, Object> content) {
    context.contentType("application/json").result(JsonText.tree(content));
  }

  private void metrics(Context context) {
    context.contentType(Metrics.MEDIA_TYPE).result(parts.metrics.text());
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
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    stream.close();
    lines.close();
    listeners.close();
    server.close();
    parts.engine.killAll();
    threads.ingest().close();
    threads.questions().close();
    threads.streams().close();
    threads.sounds().close();
    threads.administration().close();
  }
}
