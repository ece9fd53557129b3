// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The conversion of the records of one request into events. Used by one thread. */
final class OtlpRecords {
  private final OtlpSignal signal;
  private final Charge charge;
  private final long chargedBefore;
  private final List<NumberedEvent> stamped = new ArrayList<>();
  private final OtlpPlacement placement = new OtlpPlacement();
  private String node = "";
  private String scope = "";
  private long number;
  private long sizeBytes;
  private long rejected;
  private String reason = "";

  OtlpRecords(OtlpSignal signal, Charge charge) {
    this.signal = signal;
    this.charge = charge;
    this.chargedBefore = charge.bytes();
  }

  /** Begins the records of a resource. */
  void resource(ByteString resource) throws InvalidProtocolBufferException {
    List<KeyValue> attributes = Resource.parseFrom(resource).getAttributesList();
    node = text(attributes, "retroscope.node").orElseGet(() -> nodeOf(attributes));
  }

  /** The name that a recorder would have: the service's with its host's, if that is known. */
  private static String nodeOf(List<KeyValue> attributes) {
    String service = text(attributes, "service.name").orElse("unknown_service");
    return text(attributes, "host.name")
        .or(() -> text(attributes, "service.instance.id"))
        .map(where -> service + "@" + where)
        .orElse(service);
  }

  private static Optional<String> text(List<KeyValue> attributes, String name) {
    return attributes.stream()
        .filter(attribute -> attribute.getKey().equals(name))
        .map(attribute -> attribute.getValue().getStringValue())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }

  /** Begins the records of an instrumentation scope: of a logger or a library. */
  void scope(ByteString scope) throws InvalidProtocolBufferException {
    this.scope = InstrumentationScope.parseFrom(scope).getName();
  }

  /** Converts one record. */
  void record(ByteString bytes) {
    number++;
    try {
      switch (signal) {
        case LOGS -> add(LogRecord.parseFrom(bytes));
        case SPANS -> add(Span.parseFrom(bytes));
      }
    } catch (IllegalArgumentException | InvalidProtocolBufferException e) {
      rejected++;
      if (reason.isEmpty()) {
        reason = "record " + number + ": " + e.getMessage();
      }
    }
  }

  private void add(LogRecord log) {
    OtlpFields fields =
        new OtlpFields()
            .with("level", level(log))
            .with("logger", scope)
            .with("event", log.getEventName())
            .with("trace", log.getTraceId())
            .with("span", log.getSpanId());
    if (!log.getSeverityText().isEmpty() && log.getSeverityNumberValue() != 0) {
      fields.with("severityNumber", Value.of((long) log.getSeverityNumberValue()));
    }
    if (log.hasBody() && !log.getBody().hasStringValue()) {
      fields.with("body", fields.value(log.getBody()));
    }
    fields.with(log.getAttributesList());
    long nanos = log.getTimeUnixNano() != 0 ? log.getTimeUnixNano() : log.getObservedTimeUnixNano();
    add(log.getBody().getStringValue(), log.getAttributesList(), nanos, fields);
  }

  private static String level(LogRecord log) {
    return log.getSeverityText().isEmpty()
            && log.getSeverityNumber() != SeverityNumber.SEVERITY_NUMBER_UNSPECIFIED
            && log.getSeverityNumber() != SeverityNumber.UNRECOGNIZED
        ? log.getSeverityNumber().name().substring("SEVERITY_NUMBER_".length())
        : log.getSeverityText();
  }

  private void add(Span span) {
    OtlpFields fields =
        new OtlpFields()
            .with("kind", span.getKind().name().replaceFirst("^SPAN_KIND_", ""))
            .with("scope", scope)
            .with("trace", span.getTraceId())
            .with("span", span.getSpanId())
            .with("parent", span.getParentSpanId());
    long nanos = span.getEndTimeUnixNano() - span.getStartTimeUnixNano();
    if (span.getEndTimeUnixNano() != 0) {
      // Negative if the clock was set back meanwhile.
      fields.with("micros", Value.of(Math.floorDiv(nanos, 1_000L)));
    }
    if (span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR) {
      fields.with("error", Value.of(true)).with("status", span.getStatus().getMessage());
    }
    fields.with(span.getAttributesList());
    add(span.getName(), span.getAttributesList(), span.getStartTimeUnixNano(), fields);
  }

  private void add(String message, List<KeyValue> attributes, long nanos, OtlpFields fields) {
    EventBody body = new EventBody.LogLine(message, fields.fields());
    Optional<String> stamp = text(attributes, OtlpReader.STAMP);
    NumberedEvent event = new NumberedEvent(number, event(stamp, nanos, body));
    sizeBytes += fields.sizeBytes() + 2L * message.length();
    charge.resize(chargedBefore + sizeBytes);
    if (stamp.isPresent()) {
      stamped.add(event);
    } else {
      placement.add(event);
    }
  }

  private Event event(Optional<String> stamp, long nanos, EventBody body) {
    if (stamp.isEmpty() && nanos == 0) {
      throw new IllegalArgumentException("it has neither a time nor the attribute hlc");
    }
    long hlc = stamp.isPresent() ? HlcTimestamp.parse(stamp.get()) : OtlpPlacement.stamp(nanos);
    return new Event(node, signal.log(), hlc, body);
  }

  OtlpBatch batch() {
    List<NumberedEvent> placed = placement.placed();
    return new OtlpBatch(
        stamped, placed, OtlpPlacement.firstOf(placed), rejected, reason, sizeBytes);
  }
}
