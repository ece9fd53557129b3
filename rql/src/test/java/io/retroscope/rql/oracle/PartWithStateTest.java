// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.StateEvents;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Generated queries over a part of a log that has the state at its start have the rows that they
 * have over the whole log in the same range. {@code -Doracle.seed} replays one case.
 */
class PartWithStateTest {
  /** What only events before the part have shown: a log without state, or a field of its lines. */
  private static final Set<Object> UNKNOWN =
      Set.of(ErrorCode.UNKNOWN_LOG.code(), ErrorCode.UNKNOWN_VARIABLE.code());

  @Test
  void rows_overAPartWithItsState_areThoseOfTheWhole() {
    compare(300);
  }

  @Test
  @Tag("slow")
  void rows_overVeryManyPartsWithTheirStates_areThoseOfTheWhole() {
    compare(100_000);
  }

  private static void compare(int cases) {
    int withRows = 0;
    int shorter = 0;
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = new RandomQuery(random).text(true).replace("SELECT STREAM", "SELECT");
      long last = events.stream().mapToLong(Event::hlc).max().orElseThrow();
      long from = events.get(random.nextInt(events.size())).hlc() + random.nextInt(2);
      if (from > last || from == HlcTimestamp.pack(1_000)) {
        continue;
      }
      List<Event> part = part(events, from);
      shorter +=
          part.stream().filter(event -> event.hlc() < from).count()
                  < events.stream().filter(event -> event.hlc() < from).count()
              ? 1
              : 0;
      String onTime = "ON TIME hlc'%s' TO hlc'%s'".formatted(text(from), text(last));
      String asked = text.replace("ON TIME hlc'1000.0'", onTime);
      Object expected = rows(new InMemoryEventSource(events, ClockOffsets.UNKNOWN), asked);
      if (UNKNOWN.contains(rows(source(part, from), asked))) {
        continue;
      }
      Supplier<String> what = OracleTest.what(seed, asked, events);
      assertThat(rows(source(part, from), asked)).as(what).isEqualTo(expected);
      assertThat(rows(source(part, from), text.replace("ON TIME hlc'1000.0'", "")))
          .as(() -> "without ON TIME, " + what.get())
          .isEqualTo(expected);
      withRows += expected instanceof List<?> rows && !rows.isEmpty() ? 1 : 0;
    }
    if (cases > 1) {
      assertThat(withRows).as("queries with rows").isGreaterThan(cases / 5);
      assertThat(shorter).as("states without all events").isGreaterThan(cases / 3);
    }
  }

  /** The events from a stamp on, and those that set the state there. */
  private static List<Event> part(List<Event> events, long from) {
    List<Event> part = new ArrayList<>();
    try (EventSource.View view = new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open()) {
      part.addAll(StateEvents.before(view, Set.of("t"), node -> true, from));
    }
    events.stream().filter(event -> event.hlc() >= from).forEach(part::add);
    return part;
  }

  private static EventSource source(List<Event> part, long from) {
    HlcRange range = new HlcRange(from, HlcTimestamp.MAX_PACKED);
    return new InMemoryEventSource(
        part,
        List.of(),
        List.of(new Incompleteness.Part(Set.of(), Set.of(), range, true)),
        ClockOffsets.UNKNOWN);
  }

  /** The rows, or the kind of error. */
  private static Object rows(EventSource source, String text) {
    AllValues rows = new AllValues();
    QueryEngine engine = new QueryEngine(source, OracleTest.LIMITS);
    try {
      engine.run(engine.prepare(text), rows);
    } catch (RqlException e) {
      return e.diagnostics().get(0).code();
    }
    return rows.rows();
  }

  private static String text(long hlc) {
    return HlcTimestamp.text(hlc);
  }
}
