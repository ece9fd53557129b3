// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** The recognition of JSON that is not one event per line, for error messages. */
final class ForeignJson {
  /** The number of bytes from the beginning of a text that are looked at. */
  static final int MAX_KNOWN_BYTES = 8_192;

  /** The most fields that a message names. */
  private static final int MAX_NAMED = 8;

  /** Fields, one of which every line of this project has. */
  private static final Set<String> OWN =
      Set.of("\"node\"", "\"hlc\"", "\"log\"", "\"lost\"", "\"warning\"", "\"incomplete\"");

  private ForeignJson() {}

  /**
   * Returns what a text is that is not read, and what to do.
   *
   * @param beginning its first characters
   */
  static Optional<String> of(String beginning) {
    String text = beginning.strip();
    boolean isArray = text.startsWith("[");
    if (!isArray && !text.startsWith("{")) {
      return Optional.empty();
    }
    if (hasKey(text, "resourceLogs") || hasKey(text, "resourceSpans")) {
      return Optional.of(
          "this is OpenTelemetry's JSON, not one event per line: a file of it is read as it is, and a log server accepts it at /v1/logs and /v1/traces");
    }
    if (hasKey(text, "resourceMetrics")) {
      return Optional.of(
          "this is OpenTelemetry's JSON of metrics, which is not read: only its spans and logs are");
    }
    if (isArray && hasKey(text, "traceId") && hasKey(text, "localEndpoint")) {
      return Optional.of(
          "this is Zipkin's JSON, not one event per line: a file of it is read as it is");
    }
    List<String> names = names(text);
    if (isArray) {
      return Optional.of(
          "this is one array of JSON%s: arrays are read if they are Zipkin's spans or a Jepsen history, and events if there is one per line, as jq -c '.[]' writes them"
              .formatted(
                  names.isEmpty()
                      ? ""
                      : " of objects with the fields " + String.join(", ", names)));
    }
    if (!names.isEmpty() && names.stream().noneMatch(OWN::contains)) {
      return Optional.of(
          "this JSON object with the fields %s is no event, and no document of a form that is read: \"./retroscope formats\" lists them%s"
              .formatted(
                  String.join(", ", names),
                  isLaidOut(text) ? "; events take one line each, as jq -c . writes them" : ""));
    }
    return isLaidOut(text)
        ? Optional.of(
            "this JSON object takes several lines, not one per event: jq -c . writes each on one")
        : Optional.empty();
  }

  private static boolean isLaidOut(String text) {
    List<String> lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    return lines.size() > 1 && !lines.get(0).endsWith("}") && lines.get(1).startsWith("\"");
  }

  /** The names, in quotes, of the first fields of an object, or of an array's first object. */
  private static List<String> names(String text) {
    List<String> names = new ArrayList<>();
    try (JsonParser in = JsonValues.JSON.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = in.nextToken();
      if (first == JsonToken.START_OBJECT || in.nextToken() == JsonToken.START_OBJECT) {
        for (String name = in.nextName();
            name != null && names.size() < MAX_NAMED;
            name = in.nextName()) {
          names.add('"' + JsonValues.abbreviate(name) + '"');
          in.nextToken();
          in.skipChildren();
        }
      }
    } catch (JacksonException e) {
      // The text is cut off, or is not JSON: the names before count.
    }
    return names;
  }

  private static boolean hasKey(String text, String key) {
    int at = text.indexOf('"' + key + '"');
    return at >= 0 && text.substring(at + key.length() + 2).stripLeading().startsWith(":");
  }
}
