// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Status;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.document.LogRecord;
import io.retroscope.recordings.document.OtlpJson;
import io.retroscope.recordings.document.Span;
import io.retroscope.recordings.document.SpanKind;
import io.retroscope.recordings.document.SpanTimeline;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/** The conversion of the records of one request into events. Used by one thread. */
final class OtlpRecords implements OtlpJson.Sink {
  /** A record and the events at its start and its end. */
  private static final int COPIES = 3;

  private final OtlpSignal signal;
  private final Charge charge;
  private final long chargedBefore;
  private final List<NumberedEvent> stamped = new ArrayList<>();
  private final OtlpPlacement placement = new OtlpPlacement();
  private final List<Span> spans = new ArrayList<>();

  /** The numbers of the spans, and the stamps that their nodes gave their starts. */
  private final IdentityHashMap<Span, Origin> origins = new IdentityHashMap<>();

  private String node = "";
  private String scope = "";
  private long number;
  private long sizeBytes;
  private long rejected;
  private String reason = "";

  /** What a span has besides its content. */
  private record Origin(long number, Optional<Long> stamp) {}

  OtlpRecords(OtlpSignal signal, Charge charge) {
    this.signal = signal;
    this.charge = charge;
    this.chargedBefore = charge.bytes();
  }

  /** Begins the records of a resource. */
  void resource(ByteString resource) throws InvalidProtocolBufferException {
    node = OtlpJson.nodeOf(OtlpValues.texts(Resource.parseFrom(resource).getAttributesList()));
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
        case LOGS -> {
          LogRecord log = log(io.opentelemetry.proto.logs.v1.LogRecord.parseFrom(bytes));
          add(number, log);
          charge(log.sizeBytes());
        }
        case SPANS -> {
          Span span = span(io.opentelemetry.proto.trace.v1.Span.parseFrom(bytes));
          add(number, span);
          charge(span.sizeBytes());
        }
      }
    } catch (IllegalArgumentException | InvalidProtocolBufferException e) {
      refused(number, String.valueOf(e.getMessage()));
    }
  }

  /** Counts memory that a record takes, also as its events. */
  void charge(long bytes) {
    sizeBytes += COPIES * bytes;
    charge.resize(chargedBefore + sizeBytes);
  }

  private LogRecord log(io.opentelemetry.proto.logs.v1.LogRecord log) {
    LogRecord.Draft draft =
        new LogRecord.Draft(node, OtlpValues.named(log.getAttributesList()))
            .time(log.getTimeUnixNano(), log.getObservedTimeUnixNano())
            .severity(log.getSeverityNumberValue(), log.getSeverityText())
            .with("logger", scope)
            .with("event", log.getEventName())
            .with("trace", OtlpValues.hex(log.getTraceId()))
            .with("span", OtlpValues.hex(log.getSpanId()));
    return (log.hasBody() ? draft.body(OtlpValues.value(log.getBody())) : draft).record();
  }

  private Span span(io.opentelemetry.proto.trace.v1.Span span) {
    boolean isError = span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
    return new Span(
        node,
        span.getName(),
        SpanKind.of(span.getKindValue()),
        new Span.Ids(
            OtlpValues.hex(span.getTraceId()),
            OtlpValues.hex(span.getSpanId()),
            OtlpValues.hex(span.getParentSpanId())),
        new Span.Times(span.getStartTimeUnixNano(), span.getEndTimeUnixNano()),
        OtlpJson.spanAttributes(
            scope,
            isError ? Optional.of(span.getStatus().getMessage()) : Optional.empty(),
            OtlpValues.named(span.getAttributesList())));
  }

  @Override
  public void span(long place, Span span) {
    checked(place, () -> add(place, span));
  }

  @Override
  public void log(long place, LogRecord log) {
    checked(place, () -> add(place, log));
  }

  private void checked(long place, Runnable use) {
    try {
      use.run();
    } catch (IllegalArgumentException e) {
      refused(place, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void refused(long place, String why) {
    rejected++;
    if (reason.isEmpty()) {
      reason = "record " + place + ": " + why;
    }
  }

  private void add(long place, LogRecord log) {
    checkTime(log.stamp(), log.nanos());
    long hlc =
        log.stamp().isPresent()
            ? HlcTimestamp.parse(log.stamp().get())
            : OtlpPlacement.stamp(log.nanos());
    NumberedEvent event =
        new NumberedEvent(place, new Event(log.node(), signal.log(), hlc, log.line()));
    if (log.stamp().isPresent()) {
      stamped.add(event);
    } else {
      placement.add(event);
    }
  }

  private static void checkTime(Optional<String> stamp, long nanos) {
    if (stamp.isEmpty() && nanos == 0) {
      throw new IllegalArgumentException("it has neither a time nor the attribute hlc");
    }
  }

  private void add(long place, Span span) {
    checkTime(span.stamp(), span.times().startNanos());
    Optional<Long> stamp = span.stamp().map(HlcTimestamp::parse);
    Span moved = stamp.map(given -> span.from(OtlpPlacement.nanosAfter(given))).orElse(span);
    moved.check();
    spans.add(moved);
    origins.put(moved, new Origin(place, stamp));
  }

  OtlpBatch batch() {
    SpanTimeline.of(spans, this::add);
    List<NumberedEvent> placed = placement.placed();
    return new OtlpBatch(
        stamped, placed, OtlpPlacement.firstOf(placed), rejected, reason, sizeBytes);
  }

  private void add(SpanTimeline.Moment moment, List<EventBody> bodies) {
    Span span = moment.span();
    Origin origin = origins.getOrDefault(span, new Origin(0, Optional.empty()));
    for (EventBody body : bodies) {
      boolean isStamped = !moment.isEnd() && body instanceof EventBody.LogLine;
      if (isStamped && origin.stamp.isPresent()) {
        stamped.add(
            new NumberedEvent(
                origin.number, new Event(span.node(), SpanTimeline.LOG, origin.stamp.get(), body)));
      } else {
        long hlc = OtlpPlacement.stamp(moment.nanos());
        placement.add(
            new NumberedEvent(origin.number, new Event(span.node(), SpanTimeline.LOG, hlc, body)));
      }
    }
  }
}
