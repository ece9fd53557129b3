// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.StarterQueries.Starter;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StarterQueriesTest {
  private static final long START = 1_795_200_000_000_000L;

  @Test
  void of_onlyLines_asksForTheirTexts() throws Exception {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Map<String, Value> fields = Map.of("level", Value.of(i % 3 == 0 ? "WARN" : "INFO"));
      events.add(
          new Event(
              i % 2 == 0 ? "a" : "b",
              "app",
              HlcTimestamp.pack(START + i),
              new EventBody.LogLine("line " + i, fields)));
    }
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    List<Starter> starters;
    try (View view = source.open()) {
      starters = StarterQueries.of(view);
    }
    assertThat(starters)
        .extracting(Starter::title)
        .containsExactly(
            "What do the lines of all nodes say, in one order?",
            "Which lines are warnings or errors?",
            "What were all values of app at the end?");
    assertThat(rows(source, starters.get(0).query())).isEqualTo(6);
    assertThat(rows(source, starters.get(1).query())).isEqualTo(2);
    assertThat(rows(source, starters.get(2).query())).isEqualTo(1);
  }

  private static int rows(EventSource source, String statement) throws Exception {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    List<Row> rows = new ArrayList<>();
    engine.run(
        engine.prepare(statement),
        new RowSink() {
          @Override
          public void columns(List<Column> all) {}

          @Override
          public boolean row(Row row) {
            return rows.add(row);
          }

          @Override
          public void warning(String message) {}
        });
    return rows.size();
  }
}
