// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.Map;

/** Requests as the SDKs of OpenTelemetry send them. */
public final class OtlpRequest {
  /** Nanoseconds since the epoch. */
  public static final long TIME = 1_795_200_000_000_500_123L;

  private OtlpRequest() {}

  /** A text as an attribute. */
  public static KeyValue pair(String name, String value) {
    return pair(name, AnyValue.newBuilder().setStringValue(value).build());
  }

  /** An attribute. */
  public static KeyValue pair(String name, AnyValue value) {
    return KeyValue.newBuilder().setKey(name).setValue(value).build();
  }

  /** A log record. */
  public static LogRecord.Builder log(long nanos, String text) {
    return LogRecord.newBuilder()
        .setTimeUnixNano(nanos)
        .setSeverityNumber(SeverityNumber.SEVERITY_NUMBER_WARN)
        .setBody(AnyValue.newBuilder().setStringValue(text));
  }

  /** A span of 2.5 ms. */
  public static Span.Builder span(long nanos, String name) {
    return Span.newBuilder()
        .setName(name)
        .setKind(Span.SpanKind.SPAN_KIND_SERVER)
        .setTraceId(ByteString.copyFrom(new byte[] {1, 2}))
        .setSpanId(ByteString.copyFrom(new byte[] {(byte) 0xab}))
        .setStartTimeUnixNano(nanos)
        .setEndTimeUnixNano(nanos + 2_500_000);
  }

  /** A request with log records of the node {@code py@h1}. */
  public static byte[] logs(LogRecord.Builder... records) {
    return logs(Map.of("service.name", "py", "host.name", "h1"), records);
  }

  /** A request with log records of a resource. */
  public static byte[] logs(Map<String, String> resource, LogRecord.Builder... records) {
    ScopeLogs.Builder scope = ScopeLogs.newBuilder().setScope(scope());
    for (LogRecord.Builder each : records) {
      scope.addLogRecords(each);
    }
    ResourceLogs.Builder logs =
        ResourceLogs.newBuilder().setResource(resource(resource)).addScopeLogs(scope);
    return ExportLogsServiceRequest.newBuilder().addResourceLogs(logs).build().toByteArray();
  }

  /** A request with spans of the node {@code py@h1}. */
  public static byte[] spans(Span.Builder... spans) {
    ScopeSpans.Builder scope = ScopeSpans.newBuilder().setScope(scope());
    for (Span.Builder each : spans) {
      scope.addSpans(each);
    }
    ResourceSpans.Builder all =
        ResourceSpans.newBuilder()
            .setResource(resource(Map.of("service.name", "py", "host.name", "h1")))
            .addScopeSpans(scope);
    return ExportTraceServiceRequest.newBuilder().addResourceSpans(all).build().toByteArray();
  }

  private static InstrumentationScope scope() {
    return InstrumentationScope.newBuilder().setName("orders").build();
  }

  private static Resource resource(Map<String, String> attributes) {
    Resource.Builder resource = Resource.newBuilder();
    attributes.forEach((name, value) -> resource.addAttributes(pair(name, value)));
    return resource.build();
  }
}
