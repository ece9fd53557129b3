// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A reader of the JSON of the OpenTelemetry protocol: documents with {@code resourceSpans} or
 * {@code resourceLogs}, one or one after another, as the collector's file exporter writes them. One
 * record is in memory at a time. Used by one thread.
 */
public final class OtlpJson {
  /** The longest name of an attribute, in characters. */
  public static final int MAX_NAME_LENGTH = 1_000;

  private static final int MAX_VALUE_DEPTH = 48;

  /** The memory of a record that waits for the name of its scope, about. */
  private static final int EARLY_BYTES = 1_000;

  private final Sink sink;
  private final SizeLimit limit;
  private long number;

  /** A receiver of records. */
  public interface Sink {
    /**
     * Takes a span.
     *
     * @param number of the record in its stream, from 1
     */
    void span(long number, Span span);

    /** Takes a record of a log. */
    void log(long number, LogRecord log);

    /** Takes the refusal of one record. */
    void refused(long number, String reason);
  }

  /** The records of one resource, whose node may be named after them. */
  private static final class Resource {
    private final List<Consumer<String>> records = new ArrayList<>();
    private Map<String, Value> attributes = Map.of();

    void pass() {
      String node = nodeOf(attributes);
      records.forEach(record -> record.accept(node));
    }
  }

  /**
   * A reader.
   *
   * @param limit of the records' memory
   */
  public OtlpJson(Sink sink, SizeLimit limit) {
    this.sink = sink;
    this.limit = limit;
  }

  /**
   * Reads all documents of a stream.
   *
   * @throws DocumentException if one is damaged; what came before it was passed on
   */
  public void read(InputStream in) {
    JsonCursor json = new JsonCursor(in);
    json.roots(
        () ->
            json.fields(
                field -> {
                  switch (field) {
                    case "resourceSpans", "resource_spans" ->
                        json.elements(() -> resource(json, "scopeSpans", this::addSpan));
                    case "resourceLogs", "resource_logs" ->
                        json.elements(() -> resource(json, "scopeLogs", this::addLog));
                    default -> {
                      // Nothing else has records.
                    }
                  }
                }));
  }

  /** Adds one record of a scope to a resource. */
  private interface RecordReader {
    void add(Resource resource, String scope, Item record);
  }

  private void resource(JsonCursor json, String scopes, RecordReader reader) {
    Resource resource = new Resource();
    try {
      json.fields(
          field -> {
            if (field.equals("resource")) {
              resource.attributes = texts(json.item().get("attributes"));
            } else if (field.equals(scopes)) {
              json.elements(() -> scope(json, resource, reader));
            }
          });
    } finally {
      resource.pass();
    }
  }

  /** The records of one scope, which may be named after them. */
  private final class Scope {
    private final Resource resource;
    private final RecordReader reader;
    private final List<Item> early = new ArrayList<>();
    private String name = "";
    private boolean isNamed;

    Scope(Resource resource, RecordReader reader) {
      this.resource = resource;
      this.reader = reader;
    }

    void field(JsonCursor json, String field) {
      if (field.equals("scope")) {
        name = json.item().get("name").text();
        isNamed = true;
      } else if (field.equals("spans") || field.equals("logRecords")) {
        json.elements(() -> add(json.item()));
      }
    }

    private void add(Item record) {
      if (isNamed) {
        OtlpJson.this.add(resource, name, record, reader);
      } else {
        limit.add(EARLY_BYTES);
        early.add(record);
      }
    }

    void pass() {
      early.forEach(record -> OtlpJson.this.add(resource, name, record, reader));
    }
  }

  private void scope(JsonCursor json, Resource resource, RecordReader reader) {
    Scope scope = new Scope(resource, reader);
    try {
      json.fields(field -> scope.field(json, field));
    } finally {
      scope.pass();
    }
  }

  private void add(Resource resource, String scope, Item record, RecordReader reader) {
    number++;
    try {
      reader.add(resource, scope, record);
    } catch (IllegalArgumentException e) {
      sink.refused(number, String.valueOf(e.getMessage()));
    }
  }

  private void addSpan(Resource resource, String scope, Item json) {
    Item status = json.get("status");
    Item code = status.get("code");
    boolean isError = code.text().equals("2") || code.text().equals("STATUS_CODE_ERROR");
    Item kind = json.get("kind");
    Span span =
        new Span(
            "",
            json.get("name").text(),
            kind.integer()
                .map(given -> SpanKind.of((int) Math.min(given, Integer.MAX_VALUE)))
                .orElseGet(() -> SpanKind.of(kind.text(), SpanKind.UNSPECIFIED)),
            new Span.Ids(id(json, "traceId"), id(json, "spanId"), id(json, "parentSpanId")),
            new Span.Times(nanos(json, "startTimeUnixNano"), nanos(json, "endTimeUnixNano")),
            spanAttributes(
                scope,
                isError ? Optional.of(status.get("message").text()) : Optional.empty(),
                attributes(json.get("attributes"))));
    limit.add(span.sizeBytes());
    long place = number;
    resource.records.add(node -> sink.span(place, span.of(node)));
  }

  private void addLog(Resource resource, String scope, Item json) {
    LogRecord.Draft draft =
        new LogRecord.Draft("", attributes(json.get("attributes")))
            .time(nanos(json, "timeUnixNano"), nanos(json, "observedTimeUnixNano"))
            .severity(severity(json.get("severityNumber")), json.get("severityText").text())
            .with("logger", scope)
            .with("event", json.get("eventName").text())
            .with("trace", id(json, "traceId"))
            .with("span", id(json, "spanId"));
    if (json.get("body").isMap()) {
      draft.body(value(json.get("body"), MAX_VALUE_DEPTH));
    }
    LogRecord record = draft.record();
    limit.add(record.sizeBytes());
    long place = number;
    resource.records.add(
        node ->
            sink.log(place, new LogRecord(node, record.nanos(), record.stamp(), record.line())));
  }

  private static int severity(Item number) {
    String name = number.text();
    if (!name.startsWith("SEVERITY_NUMBER_")) {
      return number.integer().map(given -> (int) Math.min(given, Integer.MAX_VALUE)).orElse(0);
    }
    String plain = name.substring("SEVERITY_NUMBER_".length());
    for (int i = 1; i <= LogRecord.Draft.LEVELS; i++) {
      if (LogRecord.Draft.level(i).equals(plain)) {
        return i;
      }
    }
    return 0;
  }

  /** Unsigned nanoseconds, which JSON has as a text or a number; 0 if there are none. */
  private static long nanos(Item json, String field) {
    Item given = json.get(field);
    if (given.isNothing() || given.text().isEmpty()) {
      return 0;
    }
    return given
        .integer()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s is no number of nanoseconds: %s".formatted(field, given.text())));
  }

  private static String id(Item json, String field) {
    return json.get(field).text().toLowerCase(Locale.ROOT);
  }

  /** The attributes of a span, which begin with what its format has in fields of its own. */
  public static Map<String, Value> spanAttributes(
      String scope, Optional<String> failure, Map<String, Value> others) {
    Map<String, Value> all = new LinkedHashMap<>();
    Span.put(all, "scope", scope);
    failure.ifPresent(
        status -> {
          all.put("error", Value.of(true));
          Span.put(all, "status", status);
        });
    others.forEach(all::putIfAbsent);
    return all;
  }

  /** The texts among pairs by their names, whatever the other pairs are. */
  private static Map<String, Value> texts(Item pairs) {
    Map<String, Value> texts = new LinkedHashMap<>();
    for (Item pair : pairs.elements()) {
      Item any = pair.get("value");
      String text = any.get("stringValue").text() + any.get("string_value").text();
      texts.putIfAbsent(pair.get("key").text(), Value.of(text));
    }
    return texts;
  }

  private static Map<String, Value> attributes(Item pairs) {
    return named(pairs, MAX_VALUE_DEPTH);
  }

  /** The values of pairs by their names, of which the first of each name counts. */
  private static Map<String, Value> named(Item pairs, int depthLeft) {
    Map<String, Value> named = new LinkedHashMap<>();
    for (Item pair : pairs.elements()) {
      named.putIfAbsent(checkedName(pair.get("key").text()), value(pair.get("value"), depthLeft));
    }
    return named;
  }

  /**
   * Checks the name of an attribute.
   *
   * @throws IllegalArgumentException if it is too long or empty
   */
  public static String checkedName(String name) {
    if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of an attribute has %d characters: 1 to %d are possible"
              .formatted(name.length(), MAX_NAME_LENGTH));
    }
    return name;
  }

  /** The value of an attribute: arrays are sets, lists of pairs structs, and bytes hexadecimal. */
  private static Value value(Item any, int depthLeft) {
    if (depthLeft == 0) {
      throw new IllegalArgumentException(
          "a value is nested deeper than " + MAX_VALUE_DEPTH + " levels");
    }
    for (Map.Entry<String, Item> field : any.fields().entrySet()) {
      Item given = field.getValue();
      switch (field.getKey()) {
        case "stringValue", "string_value" -> {
          return Value.of(given.text());
        }
        case "boolValue", "bool_value" -> {
          return Value.of(given.isTrue());
        }
        case "intValue", "int_value" -> {
          return integer(given);
        }
        case "doubleValue", "double_value" -> {
          return number(given);
        }
        case "bytesValue", "bytes_value" -> {
          return Value.of(HexFormat.of().formatHex(Base64.getDecoder().decode(given.text())));
        }
        case "arrayValue", "array_value" -> {
          List<Value> elements = new ArrayList<>();
          given
              .get("values")
              .elements()
              .forEach(element -> elements.add(value(element, depthLeft - 1)));
          return new Value.SetValue(elements);
        }
        case "kvlistValue", "kvlist_value" -> {
          return new Value.StructValue(named(given.get("values"), depthLeft - 1));
        }
        default -> {
          // Another field does not say which value it is.
        }
      }
    }
    return Value.NullValue.NULL;
  }

  private static Value integer(Item given) {
    return Value.of(
        given
            .integer()
            .orElseThrow(() -> new IllegalArgumentException("no integer: " + given.text())));
  }

  private static Value number(Item given) {
    try {
      return Value.of(Double.parseDouble(given.text()));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("no number: " + given.text(), e);
    }
  }

  /** The node of a resource: the name that a recorder would have. */
  public static String nodeOf(Map<String, Value> resource) {
    Function<String, Optional<String>> text =
        name ->
            resource.get(name) instanceof Value.StringValue found && !found.value().isEmpty()
                ? Optional.of(found.value())
                : Optional.empty();
    return text.apply("retroscope.node")
        .orElseGet(
            () -> {
              String service = text.apply("service.name").orElse("unknown_service");
              return text.apply("host.name")
                  .or(() -> text.apply("service.instance.id"))
                  .map(where -> service + "@" + where)
                  .orElse(service);
            });
  }
}
