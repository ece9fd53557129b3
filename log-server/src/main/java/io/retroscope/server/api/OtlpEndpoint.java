// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.retroscope.rql.json.JsonText;
import io.retroscope.server.access.Caller;
import io.retroscope.server.ingest.OtlpBatch;
import io.retroscope.server.ingest.OtlpReader;
import io.retroscope.server.ingest.OtlpSignal;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code POST /v1/logs} and {@code POST /v1/traces}: stores records of the OpenTelemetry protocol
 * and answers once they are durable. Thread-safe.
 */
final class OtlpEndpoint {
  static final List<String> MEDIA_TYPES =
      List.of(OtlpReader.MEDIA_TYPE, OtlpReader.JSON_MEDIA_TYPE);

  /**
   * The number of places that are tried for events without a stamp, a microsecond apart, because
   * the clocks of some SDKs count in milliseconds, and others of the same time may be stored.
   */
  private static final int MAX_PLACES = 8;

  /** The number of nodes whose warning is known to be stored; others are warned about again. */
  private static final int MAX_MARKED = 10_000;

  private final EventsEndpoint events;
  private final OtlpReader reader;

  /** The stamps from which on queries about a node have a warning, by signal and node. */
  private final Map<String, Long> marked =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
              return size() > MAX_MARKED;
            }
          });

  OtlpEndpoint(EventsEndpoint events, OtlpReader reader) {
    this.events = events;
    this.reader = reader;
  }

  void post(OtlpSignal signal, Context context) {
    RequestBody body = RequestBody.of(context);
    Caller caller = events.admit(context, body);
    Optional<String> encoding = Optional.ofNullable(context.header("Content-Encoding"));
    OtlpBatch batch =
        events.read(body.bytes(), () -> reader.read(signal, encoding, body.bytes(), body.charge()));
    if (!batch.isEmpty()) {
      store(signal, batch, caller, body);
    }
    answer(signal, batch, context);
  }

  private void store(OtlpSignal signal, OtlpBatch batch, Caller caller, RequestBody body) {
    Set<String> unmarked =
        batch.firstPlaced().entrySet().stream()
            .filter(
                first ->
                    first.getValue()
                        < marked.getOrDefault(key(signal, first.getKey()), Long.MAX_VALUE))
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    for (int place = 0; ; place++) {
      try {
        Receipt unused = events.append(batch.submission(place, unmarked), caller, body.charge());
        unmarked.forEach(
            node -> marked.merge(key(signal, node), batch.firstPlaced().get(node), Math::min));
        return;
      } catch (StoreConflictException e) {
        if (batch.placed().isEmpty() || place == MAX_PLACES - 1) {
          throw events.contradicting(e);
        }
      }
    }
  }

  private static String key(OtlpSignal signal, String node) {
    return signal.name() + "/" + node;
  }

  /** Answers in the encoding of the request. */
  private static void answer(OtlpSignal signal, OtlpBatch batch, Context context) {
    String type = Objects.requireNonNullElse(context.contentType(), "").toLowerCase(Locale.ROOT);
    if (type.strip().startsWith(OtlpReader.JSON_MEDIA_TYPE)) {
      context.contentType(OtlpReader.JSON_MEDIA_TYPE).result(json(signal, batch));
    } else {
      context.contentType(OtlpReader.MEDIA_TYPE).result(protobuf(batch));
    }
  }

  private static String json(OtlpSignal signal, OtlpBatch batch) {
    if (batch.rejected() == 0) {
      return "{}";
    }
    return JsonText.object(
        out -> {
          out.writeObjectPropertyStart("partialSuccess");
          // A 64-bit number is a text in the JSON of Protocol Buffers.
          out.writeStringProperty(
              signal == OtlpSignal.LOGS ? "rejectedLogRecords" : "rejectedSpans",
              Long.toString(batch.rejected()));
          out.writeStringProperty("errorMessage", batch.reason());
          out.writeEndObject();
        });
  }

  /** The answers for logs and for spans have the same form. */
  private static byte[] protobuf(OtlpBatch batch) {
    ExportLogsServiceResponse.Builder answer = ExportLogsServiceResponse.newBuilder();
    if (batch.rejected() > 0) {
      answer
          .getPartialSuccessBuilder()
          .setRejectedLogRecords(batch.rejected())
          .setErrorMessage(batch.reason());
    }
    return answer.build().toByteArray();
  }
}
