// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.LatticeLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DetectionTest {
  private static final String NO_MESSAGE =
      "no message between nodes is recorded in the range, so that every interleaving counts as possible";

  /** Each node counts to a number, and sends every tenth to the next node. */
  private static List<Event> ring(int nodes, int states) {
    List<Event> events = new ArrayList<>();
    long tick = 0;
    for (int state = 1; state <= states; state++) {
      for (int node = 0; node < nodes; node++) {
        events.add(event("n" + node, ++tick, set("x", state)));
        if (state % 10 == 0) {
          String next = "n" + (node + 1) % nodes;
          String id = node + "/" + state;
          events.add(event("n" + node, ++tick, new EventBody.Send(next, id)));
          events.add(event(next, ++tick, new EventBody.Receive("n" + node, id)));
        }
      }
    }
    return events;
  }

  private static EventBody set(String variable, long value) {
    return new EventBody.StateChange(List.of(new Change(Operation.SET, variable, Value.of(value))));
  }

  private static Event event(String node, long tick, EventBody body) {
    return new Event(node, "t", HlcTimestamp.pack(tick), body);
  }

  private static InMemoryEventSource source(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  @Test
  void conjunctions_ofManyNodesAndStates_needNoLattice() {
    QueryEngine engine = new QueryEngine(source(ring(12, 1_000)), QueryLimits.DEFAULT);
    // The lattice has far more cuts than the limit.
    String predicate = "FORALL n IN NODES : (x@n >= 900 AND x@n % 7 = 3) FROM t";
    assertThat(run(engine, "POSSIBLY " + predicate).answer()).isEqualTo(Value.of(true));
    assertThat(run(engine, "DEFINITELY " + predicate).answer()).isEqualTo(Value.of(false));
    String longer = "FORALL n IN NODES : (x@n >= 900 AND x@n < 950) FROM t";
    assertThat(run(engine, "DEFINITELY " + longer).answer()).isEqualTo(Value.of(true));
    assertThat(run(engine, "POSSIBLY SPREAD(x) >= 300 FROM t").answer()).isEqualTo(Value.of(false));
    assertThat(run(engine, "POSSIBLY SPREAD(x) >= 13 FROM t").answer()).isEqualTo(Value.of(true));
    assertThat(run(engine, "DEFINITELY MAX(x) > 999 FROM t").answer()).isEqualTo(Value.of(true));
    Result explained = run(engine, "EXPLAIN ANALYZE POSSIBLY " + predicate);
    assertThat(explained.lines())
        .contains("cuts of the lattice: 0", "decided by: weak conjunctive predicates");
  }

  @Test
  void lattice_beyondItsNumberOfCuts_isUndecided() {
    QueryEngine engine = new QueryEngine(source(ring(6, 100)), limits(1_000, 64 << 20));
    Result result = run(engine, "POSSIBLY SUM(x) = 599 AND x@n0 = 1 FROM t");
    assertThat(result.answer()).isEqualTo(NullValue.NULL);
    assertThat(result.warnings)
        .containsExactly(
            "the lattice of cuts exceeds the limit of 1,000 cuts or 67,108,864 bytes: a shorter ON TIME or fewer nodes make it smaller, and tests of single nodes do not need it");
  }

  @Test
  void lattice_beyondItsBytes_isUndecided() {
    QueryEngine engine = new QueryEngine(source(ring(6, 50)), limits(1_000_000, 200_000));
    Result result = run(engine, "POSSIBLY SUM(x) = 299 AND x@n0 = 1 FROM t");
    assertThat(result.answer()).isEqualTo(NullValue.NULL);
    assertThat(result.warnings).singleElement().asString().contains("or 200,000 bytes");
  }

  @Test
  void events_beyondTheBytes_areNotHeld() {
    QueryEngine engine = new QueryEngine(source(ring(6, 1_000)), limits(1_000_000, 100_000));
    Result result = run(engine, "POSSIBLY x@n0 = 999 FROM t");
    assertThat(result.answer()).isEqualTo(NullValue.NULL);
    assertThat(result.warnings)
        .containsExactly(
            "the events of the range take more than the limit of 100,000 bytes: a shorter ON TIME has fewer");
    List<String> lines = run(engine, "EXPLAIN ANALYZE POSSIBLY x@n0 = 999 FROM t").lines();
    long read =
        lines.stream()
            .filter(line -> line.startsWith("events read: "))
            .mapToLong(line -> Long.parseLong(line.substring(13)))
            .sum();
    assertThat(read).isPositive().isLessThan(3_000);
  }

  private static QueryLimits limits(long cuts, long bytes) {
    return QueryLimits.DEFAULT.with(new LatticeLimits(cuts, bytes));
  }

  @Test
  void lattice_ofACancelledStatement_endsWithoutARow() {
    QueryEngine engine = new QueryEngine(source(ring(6, 200)), QueryLimits.DEFAULT);
    Result result = new Result();
    result.cancelledAfter = 5;
    engine.run(engine.prepare("POSSIBLY SUM(x) = 1199 AND x@n0 = 1 FROM t"), result);
    assertThat(result.rows).isEmpty();
    assertThat(result.asked).isLessThan(20);
  }

  @Test
  void server_decidesWhatIsComplete() {
    EventNotation log =
        EventNotation.read(List.of("1s a t x=1", "2s b t x=2", "3s a t x=3", "4s b t x=4"));
    QueryEngine engine = onServer(log, 3_500_000);
    Result possibly = run(engine, "POSSIBLY x@a = 3 FROM t");
    assertThat(possibly.answer()).isEqualTo(Value.of(true));
    assertThat(possibly.warnings)
        .containsExactly("complete only up to 1970-01-01T00:00:03.500000Z (1.5 s ago)");
    assertThat(run(engine, "POSSIBLY x@b = 4 FROM t").answer()).isEqualTo(Value.of(false));

    String named = " FROM t ON TIME hlc'1000000.0' TO hlc'4000000.0'";
    assertThat(run(engine, "POSSIBLY x@a = 3" + named).answer()).isEqualTo(Value.of(true));
    assertThat(run(engine, "POSSIBLY x@b = 4" + named).answer()).isEqualTo(NullValue.NULL);
    assertThat(run(engine, "DEFINITELY x@a = 3" + named).answer()).isEqualTo(NullValue.NULL);
    assertThat(run(engine, "DEFINITELY x@b = 4" + named).answer()).isEqualTo(NullValue.NULL);
  }

  private static QueryEngine onServer(EventNotation log, long completeMicros) {
    Present present =
        new Present() {
          @Override
          public long nowMicros() {
            return 5_000_000;
          }

          @Override
          public long completeHlc() {
            return HlcTimestamp.pack(completeMicros);
          }
        };
    return new QueryEngine(log.source(), QueryLimits.DEFAULT, present, node -> List.of());
  }

  @Test
  void marks_ofEvents_makeAnswersUndecided() {
    EventBody write = set("x", 1);
    Event first = new Event("a", "t", HlcTimestamp.pack(1), write);
    Event repaired =
        new Event(
            "b",
            "t",
            HlcTimestamp.pack(2),
            Event.NO_PHYSICAL,
            Event.NO_SEQUENCE,
            Set.of(EventMark.REPAIR),
            write);
    Event refused =
        new Event(
            "b",
            "t",
            HlcTimestamp.pack(2),
            Event.NO_PHYSICAL,
            Event.NO_SEQUENCE,
            Set.of(EventMark.UNORDERED),
            write);
    String never = "POSSIBLY x@a = 9 AND x@b = 9 FROM t";
    String both = "POSSIBLY x@a = 1 AND x@b = 1 FROM t";
    QueryEngine repair = new QueryEngine(source(List.of(first, repaired)), QueryLimits.DEFAULT);
    assertThat(run(repair, never).answer()).isEqualTo(NullValue.NULL);
    assertThat(run(repair, both).warnings)
        .containsExactly("node b: the event at hlc'2.0' repeats a value that was dropped");
    QueryEngine refusal = new QueryEngine(source(List.of(first, refused)), QueryLimits.DEFAULT);
    assertThat(run(refusal, never).answer()).isEqualTo(Value.of(false));
    assertThat(run(refusal, never).warnings).containsExactly(NO_MESSAGE);
    assertThat(run(refusal, both).answer()).isEqualTo(NullValue.NULL);
    assertThat(run(refusal, both).warnings).singleElement().asString().contains("was refused");
  }

  @Test
  void runs_thatOverlap_haveNoKnownOrder() {
    List<Event> events =
        List.of(
            event("a", 1, set("x", 1)).of("r1"),
            event("a", 2, set("x", 2)).of("r2"),
            event("a", 3, set("x", 3)).of("r1"),
            event("a", 4, set("x", 4)).of("r2"));
    QueryEngine engine = new QueryEngine(source(events), QueryLimits.DEFAULT);
    Result result = run(engine, "POSSIBLY x@a = 7 FROM t");
    assertThat(result.answer()).isEqualTo(NullValue.NULL);
    assertThat(result.warnings)
        .singleElement()
        .asString()
        .startsWith("node a: two of its runs overlap");
  }

  @Test
  void error_inAStateThatIsInNoDecidingCut_isNoError() {
    EventNotation log =
        EventNotation.read(
            List.of("1s a t y=0", "2s a net send b m1", "3s b net receive a m1", "4s b t x=1"));
    QueryEngine engine = new QueryEngine(log.source(), QueryLimits.DEFAULT);
    // The message orders x@b after y@a, which is 0, so that no cut evaluates the division.
    Result result = run(engine, "POSSIBLY y@a != 0 AND 6 / y@a = 3 FROM t");
    assertThat(result.answer()).isEqualTo(Value.of(false));
    assertThat(run(engine, "POSSIBLY y@a != 0 AND x@b / 0 = 3 FROM t").answer())
        .isEqualTo(Value.of(false));
  }

  /** The greatest of several values is not decided by each alone if one is no number. */
  @Test
  void extremes_ofOtherValuesThanNumbers_areThoseOfTheLanguage() {
    EventBody notANumber =
        new EventBody.StateChange(List.of(new Change(Operation.SET, "x", Value.of(Double.NaN))));
    List<Event> events =
        List.of(
            event("a", 1, notANumber),
            event("b", 1, set("x", 3)),
            event("a", 2, set("y", 1)),
            event("b", 3, set("y", 1)));
    QueryEngine engine = new QueryEngine(source(events), QueryLimits.DEFAULT);
    for (String predicate :
        List.of("MAX(x) > 2", "MAX(x) < 2", "MIN(x) > 2", "MIN(x) < 2", "MAX(x) <= 3")) {
      Value atOnce =
          run(engine, "SELECT " + predicate + " AS p FROM t ON TIME hlc'2.0'")
              .rows
              .get(0)
              .values()
              .stream()
              .filter(value -> value instanceof Value.BooleanValue)
              .findFirst()
              .orElseThrow();
      String text = "POSSIBLY " + predicate + " AND y@a = 1 FROM t ON TIME hlc'2.0' TO hlc'3.0'";
      assertThat(run(engine, text).answer()).as(text).isEqualTo(atOnce);
    }
  }

  private static Result run(QueryEngine engine, String statement) {
    Result result = new Result();
    engine.run(engine.prepare(statement), result);
    return result;
  }

  private static final class Result implements RowSink {
    private final List<Row> rows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private int cancelledAfter = Integer.MAX_VALUE;
    private int asked;

    Value answer() {
      assertThat(rows).hasSize(1);
      return rows.get(0).values().get(0);
    }

    List<String> lines() {
      return rows.stream().map(row -> ((StringValue) row.values().get(0)).value()).toList();
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return rows.add(row);
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public boolean cancelled() {
      return ++asked > cancelledAfter;
    }
  }
}
