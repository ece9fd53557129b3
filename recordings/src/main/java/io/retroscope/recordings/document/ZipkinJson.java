// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A reader of Zipkin's JSON, version 2: lists of spans, or lists of such lists, whose times are in
 * microseconds. Used by one thread.
 */
final class ZipkinJson {
  /** Tags that other formats have in fields of their own. */
  private static final Set<String> OWN =
      Set.of("error", "otel.status_code", "otel.scope.name", "otel.library.name");

  private final Sink sink;
  private final SizeLimit limit;
  private long number;

  /** A receiver of spans. */
  interface Sink {
    /**
     * Takes a span, the values of whose attributes are texts.
     *
     * @param address of its node; empty if it is not known
     */
    void span(long number, Span span, String address);

    /** Takes the refusal of one span. */
    void refused(long number, String reason);
  }

  ZipkinJson(Sink sink, SizeLimit limit) {
    this.sink = sink;
    this.limit = limit;
  }

  /** Reads all spans of a document. */
  void read(JsonCursor json) {
    json.roots(() -> spans(json));
  }

  private void spans(JsonCursor json) {
    if (json.isArray()) {
      json.elements(() -> spans(json));
    } else if (json.isObject()) {
      add(json.item());
    }
  }

  private void add(Item json) {
    number++;
    try {
      Span span = span(json);
      limit.add(span.sizeBytes());
      Item endpoint = json.get("localEndpoint");
      String v4 = endpoint.get("ipv4").text();
      sink.span(number, span, v4.isEmpty() ? endpoint.get("ipv6").text() : v4);
    } catch (IllegalArgumentException e) {
      sink.refused(number, String.valueOf(e.getMessage()));
    }
  }

  private static Span span(Item json) {
    long start = JaegerJson.micros(json, "timestamp");
    boolean isEnded = !json.get("duration").isNothing();
    long end = isEnded ? (start + JaegerJson.micros(json, "duration")) * 1_000 : 0;
    Map<String, Item> tags = json.get("tags").fields();
    return new Span(
        node(json.get("localEndpoint").get("serviceName").text(), tags),
        json.get("name").text(),
        SpanKind.of(json.get("kind").text(), SpanKind.INTERNAL),
        new Span.Ids(
            JaegerJson.padded(json.get("traceId").text(), 32),
            JaegerJson.padded(json.get("id").text(), 16),
            JaegerJson.padded(json.get("parentId").text(), 16),
            json.get("shared").isTrue() ? Span.Relation.SHARED : Span.Relation.CHILD),
        new Span.Times(start * 1_000, end),
        attributes(tags));
  }

  private static String node(String service, Map<String, Item> tags) {
    String given = tag(tags, "retroscope.node");
    return !given.isEmpty() ? given : service.isEmpty() ? "unknown_service" : service;
  }

  private static Map<String, Value> attributes(Map<String, Item> tags) {
    boolean isError = tags.containsKey("error") || tag(tags, "otel.status_code").equals("ERROR");
    Map<String, Value> others = new LinkedHashMap<>();
    tags.forEach(
        (name, value) -> {
          if (!OWN.contains(name)) {
            others.put(OtlpJson.checkedName(name), Value.of(value.text()));
          }
        });
    String scope = tag(tags, "otel.scope.name");
    // The tag says either that there was an error, or which one.
    String error = tag(tags, "error");
    return OtlpJson.spanAttributes(
        scope.isEmpty() ? tag(tags, "otel.library.name") : scope,
        isError ? Optional.of(error.equalsIgnoreCase("true") ? "" : error) : Optional.empty(),
        others);
  }

  private static String tag(Map<String, Item> tags, String name) {
    return tags.getOrDefault(name, Item.NOTHING).text();
  }
}
