// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.ingest.OtlpReader;
import io.retroscope.server.ingest.OtlpSignal;
import io.retroscope.server.metrics.Reading;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;

/** The endpoints to which nodes send events. Thread-safe. */
final class SenderEndpoints {
  private final EventsEndpoint events;
  private final OtlpEndpoint otlp;
  private final EventSocketEndpoint sockets;

  /**
   * The endpoints.
   *
   * @param workers the threads that store the batches of sockets
   */
  SenderEndpoints(
      SenderParts parts,
      NdjsonReader.Limits batchLimits,
      ApiLimits limits,
      LiveListeners listeners,
      Executor workers) {
    BatchReader reader = new BatchReader(batchLimits);
    events = new EventsEndpoint(parts.intake(), reader, limits.ingestCount(), parts.metrics());
    otlp = new OtlpEndpoint(events, new OtlpReader(batchLimits.batchBytes()));
    sockets = new EventSocketEndpoint(events, parts, listeners, workers, limits.socketCount());
    parts.metrics().show(Reading.BATCHES_READING, events::readingCount);
    parts.metrics().show(Reading.SOCKETS_OPEN, sockets::openCount);
  }

  List<Route> routes() {
    return List.of(
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
            "/v1/events/socket", Access.WRITE, (request, response) -> sockets.socket(request)));
  }

  /** The number of requests of each kind that are being answered. */
  Map<String, IntSupplier> running() {
    return Map.of("batches", events::readingCount, "sockets", sockets::openCount);
  }

  /** Ends the connections whose tokens are no longer valid. */
  void refresh() {
    sockets.refresh();
  }
}
