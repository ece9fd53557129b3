// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.lines.StoredArrivals;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** The endpoints that answer queries about events, stored and live. Thread-safe. */
final class ReaderEndpoints implements AutoCloseable {
  /** The bits of the time of the start that distinguish it from others. */
  private static final long RUN_BITS = 0x7fffff;

  private final HttpApi.Parts parts;
  private final QueryEndpoint query;
  private final StreamEndpoint stream;
  private final LinesEndpoint lines;
  private final TimelineEndpoint timeline;

  ReaderEndpoints(HttpApi.Parts parts, ApiLimits limits, LiveListeners listeners) {
    this.parts = parts;
    Metrics metrics = parts.metrics();
    query =
        new QueryEndpoint(
            parts.engine(), limits, parts.monotonicClock(), metrics, parts.slowQuery());
    stream = new StreamEndpoint(live(parts), listeners, limits);
    LineParts ofLines =
        new LineParts(
            parts.source(),
            new LineFollower.Parts(
                () -> StoredArrivals.in(parts.store()),
                parts.source(),
                () -> offsets(parts.source()),
                parts.watermarks(),
                parts.clock(),
                parts.monotonicClock()),
            metrics);
    lines = new LinesEndpoint(ofLines, listeners, limits.lineCount());
    timeline =
        new TimelineEndpoint(
            this::timelineBlocks,
            TileMaker.Limits.DEFAULT,
            parts.store().memory(),
            () -> parts.watermarks().current().hlc());
    metrics.show(Reading.QUERIES_RUNNING, query::runningCount);
    metrics.show(Reading.STREAMS_RUNNING, stream::runningCount);
    metrics.show(Reading.LINES_RUNNING, lines::runningCount);
  }

  private static ClockOffsets offsets(EventSource source) {
    try (EventSource.View view = source.open()) {
      return view.clockOffsets();
    }
  }

  private static LiveParts live(HttpApi.Parts parts) {
    LateLog late = new LateLog(parts.watermarks(), parts.clock().micros() & RUN_BITS);
    parts.store().addListener(late);
    return new LiveParts(
        new StreamingQuery.Parts(
            parts.engine(), parts.source(), parts.watermarks(), late, parts.monotonicClock()),
        parts.store().memory(),
        parts.clock(),
        parts.metrics());
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
            Gate.asStreams(metrics, StreamEndpoint::queryCount, stream::get)),
        new Route.Get("/v1/lines", Access.READ, Gate.asStream(metrics, lines::get)),
        new Route.Get(TimelineEndpoint.PATH, Access.READ, Gate.asQuery(metrics, timeline::get)));
  }

  private TimelineBlocks timelineBlocks() {
    try (EventSource.View view = parts.source().open()) {
      return parts.store().openTimeline(view.clockOffsets());
    }
  }

  private HistoryEndpoint historyEndpoint() {
    return new HistoryEndpoint(
        parts.source(),
        parts.store().memory(),
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
