// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.lines.LineRequest;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** The endpoints that answer queries about events, stored and live. Thread-safe. */
final class ReaderEndpoints implements AutoCloseable {
  private final ReaderParts parts;
  private final QueryEndpoint query;
  private final StreamEndpoint stream;
  private final LinesEndpoint lines;
  private final TimelineEndpoint timeline;

  ReaderEndpoints(ReaderParts parts, ApiLimits limits, LiveListeners listeners) {
    this.parts = parts;
    Metrics metrics = parts.metrics();
    query =
        new QueryEndpoint(
            parts.engine(), limits, parts.following().clock(), metrics, parts.slowQuery());
    LiveParts live =
        new LiveParts(parts.following(), parts.memory(), parts.lines().wallClock(), metrics);
    stream = new StreamEndpoint(live, listeners, limits);
    LineParts ofLines = new LineParts(parts.source(), parts.lines(), metrics);
    lines = new LinesEndpoint(ofLines, listeners, limits.lineCount());
    timeline =
        new TimelineEndpoint(
            parts.tiles(),
            TileMaker.Limits.DEFAULT,
            parts.memory(),
            () -> parts.following().watermarks().current().hlc());
    metrics.show(Reading.QUERIES_RUNNING, query::runningCount);
    metrics.show(Reading.STREAMS_RUNNING, stream::runningCount);
    metrics.show(Reading.LINES_RUNNING, lines::runningCount);
  }

  List<Route> routes() {
    return Stream.of(
            ofEvents(parts.metrics()),
            new CatalogEndpoint(parts.source()).routes(),
            historyEndpoint().routes(),
            new StatementEndpoint(parts.engine(), parts.source()).routes())
        .flatMap(List::stream)
        .toList();
  }

  private List<Route> ofEvents(Metrics metrics) {
    ExportEndpoint export = new ExportEndpoint(parts.source());
    return List.of(
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
            Gate.asStreams(metrics, StreamEndpoint::queryCount, this::stream)),
        new Route.Get("/v1/lines", Access.READ, Gate.asStream(metrics, this::lines)),
        new Route.Get(TimelineEndpoint.PATH, Access.READ, Gate.asQuery(metrics, timeline::get)));
  }

  private CompletableFuture<Void> stream(Context context) {
    checkComplete(context, "No live query can begin yet");
    return stream.get(context);
  }

  private void lines(Context context) throws InterruptedException {
    LineRequest request = LinesEndpoint.request(context);
    if (request.follow()) {
      checkComplete(context, "Lines cannot be followed yet");
    }
    lines.get(request, context);
  }

  private void checkComplete(Context context, String title) {
    Optional<String> reason = parts.incompleteness().get();
    if (reason.isPresent()) {
      context.header("Retry-After", "1");
      throw ProblemException.of(503, title, reason.get());
    }
  }

  private HistoryEndpoint historyEndpoint() {
    return new HistoryEndpoint(
        parts.source(),
        parts.memory(),
        new SilenceLimits(parts.engine().limits().idleTimeoutMicros()),
        parts.metrics());
  }

  /** The number of requests of each kind that are being answered. */
  Map<String, IntSupplier> running() {
    return Map.of(
        "queries", query::runningCount,
        "streams", stream::runningCount,
        "lines", lines::runningCount);
  }

  /** Whether a query over stored events runs. */
  boolean isAnswering() {
    return query.runningCount() > 0;
  }

  /** Ends live queries and followed logs, and releases memory. */
  @Override
  public void close() {
    stream.close();
    lines.close();
    timeline.close();
  }
}
