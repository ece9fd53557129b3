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
    List<Starter> starters = starters(source);
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

  /** Transaction numbers are large, and a counter of each node is never that of another. */
  @Test
  void of_replicas_asksWhereTheyAreUnusuallyFarApart() throws Exception {
    List<Event> events = new ArrayList<>();
    long micros = START;
    for (int version = 1; version <= 300; version++) {
      for (String node : List.of("a", "b", "c")) {
        boolean isBehind = node.equals("c") && version % 50 > 44;
        events.add(set(node, "apply", micros++, "zxid", Value.of((1L << 32) + version)));
        events.add(set(node, "jobs", micros++, "done", Value.of(version * (node.charAt(0) - 90L))));
        if (!isBehind) {
          events.add(set(node, "store", micros++, "version", Value.of((long) version)));
        }
      }
    }
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    List<Starter> starters = starters(source);
    assertThat(starters.get(0).title()).isEqualTo("When are nodes 3 or more apart in version?");
    assertThat(starters.get(0).reason())
        .isEqualTo(
            "version in the log store has a value at 3 nodes; the last ones were up to 6 apart");
    assertThat(rows(source, starters.get(0).query())).isBetween(10, 60);
  }

  @Test
  void of_roles_asksForTwoLeaders_andForRareChanges() throws Exception {
    List<Event> events = new ArrayList<>();
    long micros = START;
    for (int round = 0; round < 20; round++) {
      for (int node = 0; node < 3; node++) {
        String role = node == (round < 10 ? 2 : 1) ? "leader" : "follower";
        String name = "n" + node;
        events.add(set(name, "raft", micros++, "role", Value.of(role)));
        events.add(set(name, "raft", micros++, "ticks", Value.of((long) round)));
        if (round % 5 == 0) {
          events.add(set(name, "raft", micros++, "view", Value.of("v" + round)));
        }
      }
    }
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    List<Starter> starters = starters(source);
    assertThat(starters)
        .extracting(Starter::title)
        .containsExactly(
            "When are two nodes 'leader' in role?",
            "When do nodes differ in view?",
            "When do nodes differ in ticks?");
    for (Starter starter : starters) {
      assertThat(rows(source, starter.query())).as(starter.query()).isBetween(1, 60);
    }
  }

  /** A counter that was divided by zero once is still one whose nodes are apart. */
  @Test
  void of_anInfiniteNumber_asksAboutTheFiniteOnes() {
    List<Event> events = new ArrayList<>();
    long micros = START;
    for (int version = 1; version <= 300; version++) {
      for (String node : List.of("a", "b")) {
        boolean isBehind = node.equals("b") && version % 50 > 44;
        double rate = version == 200 ? Double.POSITIVE_INFINITY : isBehind ? 1 : version;
        events.add(set(node, "store", micros++, "rate", Value.of(rate)));
      }
    }
    List<Starter> starters = starters(new InMemoryEventSource(events, ClockOffsets.UNKNOWN));
    assertThat(starters.get(0).title()).contains("apart in rate");
    assertThat(starters).noneMatch(starter -> starter.reason().contains("Infinity"));
  }

  private static Event set(String node, String log, long micros, String name, Value value) {
    EventBody body =
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, name, value)));
    return new Event(node, log, HlcTimestamp.pack(micros), body);
  }

  private static List<Starter> starters(EventSource source) {
    try (View view = source.open()) {
      return StarterQueries.of(view);
    }
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
