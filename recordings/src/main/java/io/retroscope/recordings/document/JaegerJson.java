// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A reader of the JSON that Jaeger's page downloads and its HTTP API returns: traces with their
 * spans, whose times are in microseconds, and their processes. Used by one thread.
 */
final class JaegerJson {
  /** Tags that other formats have in fields of their own. */
  private static final Set<String> OWN =
      Set.of(
          "span.kind",
          "error",
          "otel.status_code",
          "otel.status_description",
          "otel.scope.name",
          "otel.library.name",
          "internal.span.format");

  private static final Map<String, String> RESOURCE =
      Map.of("hostname", "host.name", "host", "host.name");

  private final OtlpJson.Sink sink;
  private final SizeLimit limit;
  private long number;

  /** A span whose process is named after it. */
  private record Pending(long number, String process, Item inline, Span span) {}

  JaegerJson(OtlpJson.Sink sink, SizeLimit limit) {
    this.sink = sink;
    this.limit = limit;
  }

  /** Reads all traces of a document. */
  void read(JsonCursor json) {
    json.roots(
        () -> {
          if (json.isArray()) {
            json.elements(() -> trace(json));
          } else {
            root(json);
          }
        });
  }

  /** A document has its traces in a list, or is one trace. */
  private void root(JsonCursor json) {
    Trace trace = new Trace();
    json.fields(
        field -> {
          if (field.equals("data")) {
            json.elements(() -> trace(json));
          } else {
            trace.field(json, field);
          }
        });
    trace.pass();
  }

  private void trace(JsonCursor json) {
    Trace trace = new Trace();
    try {
      json.fields(field -> trace.field(json, field));
    } finally {
      trace.pass();
    }
  }

  /** One trace, whose processes may come after its spans. */
  private final class Trace {
    private final List<Pending> spans = new ArrayList<>();
    private final Map<String, String> nodes = new HashMap<>();

    void field(JsonCursor json, String field) {
      if (field.equals("spans")) {
        json.elements(() -> add(json.item()));
      } else if (field.equals("processes")) {
        json.fields(id -> nodes.put(id, node(json.item())));
      }
    }

    private void add(Item json) {
      number++;
      try {
        Span span = span(json);
        limit.add(span.sizeBytes());
        spans.add(new Pending(number, json.get("processID").text(), json.get("process"), span));
      } catch (IllegalArgumentException e) {
        sink.refused(number, String.valueOf(e.getMessage()));
      }
    }

    void pass() {
      for (Pending pending : spans) {
        String node =
            pending.inline.isMap()
                ? node(pending.inline)
                : nodes.getOrDefault(pending.process, "unknown_service");
        sink.span(pending.number, pending.span.of(node));
      }
    }
  }

  private static String node(Item process) {
    Map<String, Value> resource = new HashMap<>();
    resource.put("service.name", Value.of(process.get("serviceName").text()));
    for (Item tag : process.get("tags").elements()) {
      String name = tag.get("key").text();
      resource.put(RESOURCE.getOrDefault(name, name), tag.get("value").value());
    }
    return OtlpJson.nodeOf(resource);
  }

  private static Span span(Item json) {
    Map<String, Item> tags = new LinkedHashMap<>();
    for (Item tag : json.get("tags").elements()) {
      tags.putIfAbsent(OtlpJson.checkedName(tag.get("key").text()), tag.get("value"));
    }
    long start = micros(json, "startTime");
    Item duration = json.get("duration");
    return new Span(
        "",
        json.get("operationName").text(),
        SpanKind.of(tag(tags, "span.kind"), SpanKind.INTERNAL),
        ids(json),
        new Span.Times(
            start * 1_000, duration.isNumber() ? (start + micros(json, "duration")) * 1_000 : 0),
        attributes(tags));
  }

  private static Map<String, Value> attributes(Map<String, Item> tags) {
    boolean isError =
        tags.getOrDefault("error", Item.NOTHING).isTrue()
            || tag(tags, "otel.status_code").equals("ERROR");
    Map<String, Value> others = new LinkedHashMap<>();
    tags.forEach(
        (name, value) -> {
          if (!OWN.contains(name)) {
            others.put(name, value.value());
          }
        });
    String scope = tag(tags, "otel.scope.name");
    return OtlpJson.spanAttributes(
        scope.isEmpty() ? tag(tags, "otel.library.name") : scope,
        isError ? Optional.of(tag(tags, "otel.status_description")) : Optional.empty(),
        others);
  }

  private static String tag(Map<String, Item> tags, String name) {
    return tags.getOrDefault(name, Item.NOTHING).text();
  }

  private static Span.Ids ids(Item json) {
    String trace = padded(json.get("traceID").text(), 32);
    String parent = json.get("parentSpanID").text();
    Span.Relation relation = Span.Relation.CHILD;
    for (Item reference : json.get("references").elements()) {
      boolean isOwn = padded(reference.get("traceID").text(), 32).equals(trace);
      if (isOwn && parent.isEmpty()) {
        parent = reference.get("spanID").text();
        relation =
            reference.get("refType").text().equals("FOLLOWS_FROM")
                ? Span.Relation.FOLLOWER
                : Span.Relation.CHILD;
      }
    }
    return new Span.Ids(trace, padded(json.get("spanID").text(), 16), padded(parent, 16), relation);
  }

  /** An identity with the zeros that some programs leave out; one that is absent remains so. */
  static String padded(String id, int length) {
    boolean isAbsent = id.chars().allMatch(c -> c == '0');
    return isAbsent
        ? ""
        : "0".repeat(Math.max(0, length - id.length())) + id.toLowerCase(Locale.ROOT);
  }

  /** A number of microseconds, whose nanoseconds fit a long. */
  static long micros(Item json, String field) {
    long micros =
        json.get(field)
            .integer()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        field + " is no number of microseconds: " + json.get(field).text()));
    if (Math.abs(micros) > Span.MAX_NANOS / 1_000) {
      throw new IllegalArgumentException(field + " is out of range: " + micros);
    }
    return micros;
  }
}
