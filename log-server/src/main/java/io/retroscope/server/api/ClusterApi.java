// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
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
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The HTTP API of a server in a cluster: that of a single server, over all partitions, and the
 * readings of other servers. What it cannot do is refused with a sentence. Thread-safe.
 */
public final class ClusterApi implements AutoCloseable {
  private static final int INGEST_THREADS = 128;

  /**
   * The threads for the scans of other servers, and for those that follow or wait, besides those of
   * queries.
   */
  private static final int READING_THREADS = 288 + Readings.MAX_FOLLOWERS + Readings.MAX_OPENERS;

  /** The threads for exports, figures and read-only statements. */
  private static final int OTHER_THREADS = 32;

  private static final int ADMIN_THREADS = 2;
  private static final int MAX_WAITING = 4_096;

  private final Parts parts;
  private final RequestIntake.Threads threads;
  private final Optional<ServerCertificate> certificate;
  private final AccessControl access;
  private final LiveListeners listeners = new LiveListeners();
  private final SenderEndpoints senders;
  private final ReaderEndpoints readers;
  private final WebServer server;

  /**
   * The parts of the server that the API uses.
   *
   * @param alerts throws {@link AlertsElsewhereException} if they are evaluated elsewhere
   * @param hasAlerts whether there are any that are evaluated here
   * @param slowQuery the duration from which a query is logged
   */
  public record Parts(
      Cluster cluster,
      QueryEngine engine,
      Supplier<AlertService> alerts,
      BooleanSupplier hasAlerts,
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
    SenderParts ofSenders =
        new SenderParts(parts.cluster.intake(), parts.memory, parts.monotonicClock, parts.metrics);
    senders = new SenderEndpoints(ofSenders, batchLimits, limits, listeners, threads.ingest());
    readers = new ReaderEndpoints(readers(parts), limits, listeners);
    parts.cluster.listens(listeners::isAnyoneHere);
    List<Route> routes = routes(options.openMetrics());
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
    int questions = limits.queryCount() + limits.lineCount() + READING_THREADS + OTHER_THREADS;
    return new RequestIntake.Threads(
        new WorkerPool("ingest", INGEST_THREADS, MAX_WAITING),
        new WorkerPool("http", questions, MAX_WAITING),
        new WorkerPool("stream", OTHER_THREADS, MAX_WAITING),
        new WorkerPool("sound", OTHER_THREADS, MAX_WAITING),
        new WorkerPool("admin", ADMIN_THREADS, MAX_WAITING));
  }

  private static ReaderParts readers(Parts parts) {
    Cluster cluster = parts.cluster;
    return new ReaderParts(
        cluster.source(),
        parts.engine,
        cluster.following(parts.engine),
        new LineFollower.Parts(
            cluster::arrivals,
            cluster.present(),
            cluster::clocks,
            cluster.watermarks(),
            parts.clock,
            parts.monotonicClock),
        new ClusterTiles(cluster),
        cluster::incompleteness,
        parts.memory,
        parts.metrics,
        parts.slowQuery);
  }

  private List<Route> routes(boolean openMetrics) {
    Map<String, IntSupplier> running = new TreeMap<>(senders.running());
    running.putAll(readers.running());
    StatusParts status = status();
    List<Route> routes =
        new ArrayList<>(
            Stream.of(
                    senders.routes(),
                    readers.routes(),
                    new StatusEndpoint(status, openMetrics).routes(),
                    new ServerEndpoint(status, running, this::describe).routes(),
                    List.of(new Route.Get("/v1/cluster", Access.READ, this::cluster)),
                    new ReadingsEndpoint(parts.cluster, parts.engine).routes(),
                    new AlertsEndpoint(parts.alerts).routes(),
                    new QuarantineEndpoint(parts.cluster.quarantine()).routes(),
                    new ConsoleEndpoint().routes())
                .flatMap(List::stream)
                .toList());
    ClusterRefusals.addTo(routes);
    routes.replaceAll(new AlertForwarding(parts.cluster)::of);
    return routes;
  }

  private StatusParts status() {
    Cluster cluster = parts.cluster;
    return new StatusParts(
        cluster.status(),
        cluster.watermarks(),
        parts.health,
        parts.clock,
        parts.metrics,
        parts.memory,
        cluster::figures,
        cluster::doubts,
        cluster::losses,
        cluster::rejectedCount);
  }

  private void cluster(Context context) {
    context.contentType("application/json").result(JsonText.tree(describe()));
  }

  /** Which server has which partition, and how far the ones here are. */
  private Map<String, Object> describe() {
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
    return answer;
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

  /** Whether a query over stored events runs. */
  public boolean isAnswering() {
    return readers.isAnswering();
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
    listeners.listenFor(LiveListeners.Other.ALERTS, parts.hasAlerts.getAsBoolean());
    listeners.listenFor(LiveListeners.Other.SERVER, parts.cluster.othersListen());
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    readers.close();
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
