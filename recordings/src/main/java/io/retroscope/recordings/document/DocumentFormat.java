// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** A format of documents that other programs write. */
public enum DocumentFormat {
  /** Spans and logs of the OpenTelemetry protocol. */
  OTLP(
      "OpenTelemetry's JSON: spans and log records, one document or one per line",
      "{\"resourceSpans\":[{\"resource\":{...},\"scopeSpans\":[{\"spans\":[{\"traceId\":\"5b8e...\",\"name\":\"GET /\",...}]}]}]}"),
  /** Traces of Jaeger's page and API. */
  JAEGER(
      "Jaeger's JSON: traces, as its page downloads them",
      "{\"data\":[{\"traceID\":\"5b8e...\",\"spans\":[{\"operationName\":\"GET /\",...}],\"processes\":{...}}]}"),
  /** Spans of Zipkin's API, version 2. */
  ZIPKIN(
      "Zipkin's JSON, version 2: spans, as its page downloads them",
      "[{\"traceId\":\"5b8e...\",\"id\":\"051581...\",\"name\":\"get /\",\"timestamp\":1795200000000000,...}]"),
  /** Histories of Jepsen's tests. */
  JEPSEN(
      "Jepsen's histories: history.edn, or JSON with one operation per line",
      "{:type :invoke, :f :read, :value nil, :process 0, :time 3291485317, :index 0}"),
  /** Answers of Prometheus. */
  PROMETHEUS(
      "Prometheus' answers to query_range",
      "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{...},\"values\":[...]}]}}");

  /** The most objects whose fields are examined. */
  private static final int MAX_SIGNS = 10_000;

  private static final int MAX_SIGN_DEPTH = 4;

  private static final Pattern EDN_OPERATION =
      Pattern.compile(
          "(?s)^(?:;[^\n]*\n|[\\s\\uFEFF,])*[\\[(]?[\\s,]*(#[\\w.]+\\s*)?\\{\\s*:[\\w-]+.*");

  private static final Pattern EDN_TYPE = Pattern.compile(":type\\s+:(invoke|ok|fail|info)\\b");

  private final String title;
  private final String sample;

  DocumentFormat(String title, String sample) {
    this.title = title;
    this.sample = sample;
  }

  /** Its name in options. */
  public String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What it contains, for users. */
  public String title() {
    return title;
  }

  /** The beginning of a document, for users. */
  public String sample() {
    return sample;
  }

  /** The format of an option. */
  public static Optional<DocumentFormat> named(String option) {
    for (DocumentFormat format : values()) {
      if (format.option().equals(option.toLowerCase(Locale.ROOT))) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /**
   * The format of a document; empty if it is none of these.
   *
   * @param sample its first bytes
   */
  public static Optional<DocumentFormat> recognize(byte[] sample) {
    String text = new String(sample, StandardCharsets.UTF_8);
    if (EDN_OPERATION.matcher(text.substring(0, Math.min(text.length(), 2_000))).matches()
        && text.contains(":process")
        && EDN_TYPE.matcher(text).find()) {
      return Optional.of(JEPSEN);
    }
    Set<String> signs = signs(sample);
    if (signs.contains("/resourceSpans") || signs.contains("/resourceLogs")) {
      return Optional.of(OTLP);
    }
    if (signs.contains("/data*/spans") || signs.contains("/spans*/operationName")) {
      return Optional.of(JAEGER);
    }
    if (hasAll(signs, "*/traceId", "*/id") || hasAll(signs, "**/traceId", "**/id")) {
      return Optional.of(ZIPKIN);
    }
    if (signs.contains("/data/resultType")) {
      return Optional.of(PROMETHEUS);
    }
    return hasAll(signs, "/type", "/process", "/f") || hasAll(signs, "*/type", "*/process", "*/f")
        ? Optional.of(JEPSEN)
        : Optional.empty();
  }

  private static boolean hasAll(Set<String> signs, String... wanted) {
    return signs.containsAll(Set.of(wanted));
  }

  /** The paths of fields: a slash before each name, and an asterisk for an element of a list. */
  private static Set<String> signs(byte[] sample) {
    Set<String> signs = new HashSet<>();
    try {
      JsonCursor json = new JsonCursor(new ByteArrayInputStream(sample));
      json.roots(() -> note(json, "", 0, signs));
    } catch (DocumentException e) {
      // The sample ends within the document, or it is not JSON: what came before counts.
    }
    return signs;
  }

  private static void note(JsonCursor json, String path, int depth, Set<String> signs) {
    if (depth == MAX_SIGN_DEPTH || signs.size() > MAX_SIGNS) {
      return;
    }
    if (json.isObject()) {
      json.fields(
          name -> {
            signs.add(path + "/" + name);
            note(json, path + "/" + name, depth + 1, signs);
          });
    } else if (json.isArray()) {
      json.elements(() -> note(json, path + "*", depth + 1, signs));
    }
  }
}
