// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import java.util.List;
import java.util.Optional;

/** The recognition of JSON that is not one event per line, for error messages. */
final class ForeignJson {
  /** The number of bytes from the beginning of a text that are looked at. */
  static final int MAX_KNOWN_BYTES = 8_192;

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
          "this is OpenTelemetry's JSON, which is not read here; a log server accepts OTLP");
    }
    if (isArray && hasKey(text, "traceId") && hasKey(text, "localEndpoint")) {
      return Optional.of("this is Zipkin's JSON, which is not read here");
    }
    if (isArray) {
      return Optional.of(
          "this is one array of JSON, not one event per line: jq -c '.[]' writes its elements so");
    }
    List<String> lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    boolean isLaidOut =
        lines.size() > 1 && !lines.get(0).endsWith("}") && lines.get(1).startsWith("\"");
    return isLaidOut
        ? Optional.of(
            "this JSON object takes several lines, not one per event: jq -c . writes each on one")
        : Optional.empty();
  }

  private static boolean hasKey(String text, String key) {
    int at = text.indexOf('"' + key + '"');
    return at >= 0 && text.substring(at + key.length() + 2).stripLeading().startsWith(":");
  }
}
