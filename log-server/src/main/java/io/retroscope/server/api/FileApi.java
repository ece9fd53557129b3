// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.health.Release;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The reading part of the API over events that do not change, such as those of files, on this
 * machine only: with the console, and without anything that writes, follows or administers.
 * Thread-safe.
 */
public final class FileApi implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int THREADS = 32;
  private static final int MAX_WAITING = 1_024;
  private static final Duration SLOW_QUERY = Duration.ofSeconds(5);

  /** Blocks in memory have no summaries, and are read at once. */
  private static final TileMaker.Limits TILE_LIMITS = new TileMaker.Limits(20_000, 1 << 23);

  private final EventSource source;
  private final QueryEngine engine;
  private final Metrics metrics;
  private final TimelineEndpoint timeline;
  private final WorkerPool threads = new WorkerPool("http", THREADS, MAX_WAITING);
  private final List<Route> routes;
  private final WebServer server;
  private final JsonMapper json = JsonMapper.builder().build();

  /**
   * An API that does not listen yet.
   *
   * @param names of the files, for users
   * @param blocks opens the blocks from which timelines are drawn
   */
  public FileApi(
      List<String> names, EventSource source, Supplier<TimelineBlocks> blocks, QueryLimits limits) {
    this.source = source;
    this.engine = new QueryEngine(source, limits);
    MonotonicClock clock = MonotonicClock.system();
    this.metrics = new Metrics(clock::nanos);
    MemoryBudget memory = MemoryBudget.ofProcess();
    this.timeline =
        new TimelineEndpoint(Tiles.of(blocks), TILE_LIMITS, memory, () -> HlcTimestamp.MAX_PACKED);
    this.routes = allRoutes(names, memory, clock);
    RequestIntake intake =
        new RequestIntake(
            new Gate(new AccessControl(AccessOptions.DEFAULT, HOST, clock::nanos)),
            routes,
            memory,
            clock,
            ApiLimits.DEFAULT.statementBytes(),
            ApiLimits.DEFAULT.statementBytes(),
            new RequestIntake.Threads(threads, threads, threads, threads, threads));
    this.server = new WebServer(intake, routes, Optional.empty(), metrics);
  }

  private List<Route> allRoutes(List<String> names, MemoryBudget memory, MonotonicClock clock) {
    QueryEndpoint query = new QueryEndpoint(engine, ApiLimits.DEFAULT, clock, metrics, SLOW_QUERY);
    HistoryEndpoint history =
        new HistoryEndpoint(
            source, memory, new SilenceLimits(engine.limits().idleTimeoutMicros()), metrics);
    SessionAnswer session = new SessionAnswer(source, "files", names);
    List<Route> own =
        List.of(
            new Route.Get("/v1/events", Access.READ, new ExportEndpoint(source)::get),
            new Route.Post("/v1/query", Access.READ, StatementBody.MEDIA_TYPES, query::post),
            new Route.Get("/v1/query", Access.READ, query::get),
            new Route.Get(TimelineEndpoint.PATH, Access.READ, timeline::get),
            new Route.Get("/v1/nodes", Access.READ, this::nodes),
            new Route.Get("/v1/health", Access.READ, this::health),
            new Route.Get("/v1/session", Access.READ, c -> answer(c, session.of(c))));
    return Stream.of(
            own,
            new CatalogEndpoint(source).routes(),
            history.routes(),
            new StatementEndpoint(engine, source).routes(),
            new ConsoleEndpoint().routes())
        .flatMap(List::stream)
        .toList();
  }

  /** All routes of the API. */
  List<Route> routes() {
    return routes;
  }

  private void health(Context context) {
    answer(context, Map.of("ready", true, "version", Release.VERSION));
  }

  private void nodes(Context context) {
    Map<String, Object> answer = new LinkedHashMap<>();
    try (EventSource.View view = source.open()) {
      List<Overlap> overlaps = view.overlaps(HlcRange.ALL);
      List<Map<String, Object>> nodes = new ArrayList<>();
      for (NodeDescription node : view.nodes()) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", node.name());
        entry.put("events", node.eventCount());
        entry.put("firstHlc", HlcTimestamp.text(node.firstHlc()));
        entry.put("lastHlc", HlcTimestamp.text(node.lastHlc()));
        entry.put("incarnations", List.of());
        entry.put("overlaps", overlaps.stream().filter(o -> o.node().equals(node.name())).count());
        nodes.add(entry);
      }
      answer.put("nodes", nodes);
      view.extent().ifPresent(all -> answer.put("watermark", HlcTimestamp.text(all.to())));
    }
    answer.put("heldMicros", 0);
    answer.put("missing", List.of());
    answer.put("quarantined", 0);
    answer(context, answer);
  }

  private void answer(Context context, Map<String, Object> content) {
    JsonAnswer.send(context, json.writeValueAsBytes(content));
  }

  /**
   * Begins to listen on the loopback interface.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if that is not possible; the message is one sentence with the
   *     reason
   */
  public void listen(int port) {
    server.listen(HOST, port);
  }

  /** The address of the page. */
  public URI uri() {
    return URI.create("http://" + HOST + ":" + server.port() + "/");
  }

  /** Ends running requests, and stops listening. Never throws. */
  @Override
  public void close() {
    server.close();
    engine.killAll();
    threads.close();
    timeline.close();
    metrics.close();
  }
}
