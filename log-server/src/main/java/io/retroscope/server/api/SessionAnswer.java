// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Role;
import io.retroscope.server.health.Release;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The answer to a page that begins: the events there are, and the caller's rights. Thread-safe. */
final class SessionAnswer {
  /** The most warnings in one answer. */
  private static final int MAX_WARNINGS = 100;

  private final EventSource source;
  private final String kind;
  private final List<String> files;

  /**
   * Creates an answer.
   *
   * @param kind of the source: server or files
   * @param files their names; none for a server
   */
  SessionAnswer(EventSource source, String kind, List<String> files) {
    this.source = source;
    this.kind = kind;
    this.files = List.copyOf(files);
  }

  Map<String, Object> of(Context context) {
    Caller caller = Gate.caller(context);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("version", Release.VERSION);
    answer.put("source", kind);
    answer.put("files", files);
    answer.put("caller", caller.name());
    boolean isServer = files.isEmpty();
    answer.put(
        "may",
        Arrays.stream(Role.values())
            .filter(role -> caller.has(role) && (isServer || role == Role.READ))
            .map(role -> role.name().toLowerCase(Locale.ROOT))
            .toList());
    try (EventSource.View view = source.open()) {
      view.extent()
          .ifPresent(
              extent -> {
                answer.put("from", HlcTimestamp.text(extent.from()));
                answer.put("until", HlcTimestamp.text(extent.to()));
              });
      answer.put(
          "warnings", view.warnings(HlcRange.ALL).stream().distinct().limit(MAX_WARNINGS).toList());
    }
    return answer;
  }
}
