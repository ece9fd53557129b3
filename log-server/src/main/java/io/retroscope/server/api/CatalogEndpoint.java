// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.OffsetTrail;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.engine.statement.AlignmentTable;
import io.retroscope.rql.json.RowJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** The read-only endpoints for the logs and the clocks. Thread-safe. */
final class CatalogEndpoint {
  private final EventSource source;
  private final JsonMapper json = JsonMapper.builder().build();

  CatalogEndpoint(EventSource source) {
    this.source = source;
  }

  List<Route> routes() {
    return List.of(
        new Route.Get("/v1/logs", Access.READ, this::logs),
        new Route.Get("/v1/alignment", Access.READ, this::alignment));
  }

  private void logs(Context context) {
    List<Map<String, Object>> logs = new ArrayList<>();
    try (EventSource.View view = source.open()) {
      for (Catalog.LogDescription log : view.logs()) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", log.name());
        entry.put("events", log.eventCount());
        entry.put("variables", log.variables());
        logs.add(entry);
      }
    }
    answer(context, Map.of("logs", logs));
  }

  private void alignment(Context context) {
    Map<String, Object> answer = new LinkedHashMap<>();
    try (EventSource.View view = source.open()) {
      ClockOffsets clocks = view.clockOffsets();
      clocks.referenceNode().ifPresent(node -> answer.put("driverNode", node));
      answer.put(
          "nodes",
          AlignmentTable.rows(clocks).stream()
              .map(row -> new RawValue(RowJson.text(AlignmentTable.COLUMNS, row)))
              .toList());
      List<Map<String, Object>> ahead =
          Incompleteness.Ahead.among(view.reasons(HlcRange.ALL), HlcRange.ALL).stream()
              .map(CatalogEndpoint::ahead)
              .toList();
      if (!ahead.isEmpty()) {
        answer.put("ahead", ahead);
      }
      if (context.queryParam("points") != null) {
        int points = Parameters.number(context, "points", 0, 2, OffsetTrail.MAX_POINTS);
        answer.put(
            "trail", new RawValue(OffsetTrail.json(view, Parameters.range(context, view), points)));
      }
    }
    answer(context, answer);
  }

  private static Map<String, Object> ahead(Incompleteness.Ahead ahead) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("node", ahead.nodes().iterator().next());
    entry.put("from", HlcTimestamp.text(ahead.range().from()));
    entry.put("until", HlcTimestamp.text(ahead.range().to()));
    entry.put("micros", ahead.aheadMicros());
    return entry;
  }

  private void answer(Context context, Map<String, Object> content) {
    context.contentType("application/json").result(json.writeValueAsString(content));
  }
}
