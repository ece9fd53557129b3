// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of sealed blocks of several variables, which a walk reads as columns. */
class SealedColumnsTest {
  private static final int ROWS = 400;
  private static final int BORDERS = 12;

  /** The first number of a small seed is nearly that of the next one. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  @Test
  void run_twoRunsWithOneStamp_warns() {
    List<Event> events = events(i -> set("a", Value.of(i % 2)), i -> set("b", Value.of(i % 2)));
    Event last = events.get(ROWS - 30);
    events.add(ROWS - 29, event(last.node(), "later", last.hlc(), set("b", Value.of(5))));
    String outcome = assertAlike(events, "SELECT a FROM t WHEN a@n0 > 9 AND b@n1 > 9;");
    assertThat(outcome).contains("same stamp as an event of another run");
  }

  @Test
  void run_variableThatIsNotFollowed_makesNoCut() {
    List<Event> events =
        events(
            i -> set("a", Value.of(i % 5)),
            i -> set("b", Value.of(i % 7)),
            i -> set("c", Value.of(i)));
    assertAlike(events, "SELECT a FROM t WHEN a@n0 > 9 AND b@n1 > 9;");
    assertAlike(events, "SELECT a FROM t WHEN a@n0 > 3 AND b@n1 > 4;");
  }

  @Test
  void run_fieldOfALineIsFollowed_isRead() {
    List<Event> events =
        events(
            i -> set("a", Value.of(i % 5)),
            i -> set("b", Value.of(i % 7)),
            i -> new LogLine("line", i > 300 ? Map.of("ms", Value.of(i)) : Map.of()));
    assertAlike(
        events, "SELECT a FROM t WHEN a@n0 > 9 AND b@n1 > 9 OR EXISTS x IN ms : (x > 390);");
    assertAlike(events, "SELECT a FROM t WHEN a@n0 > 9 AND b@n1 > 9;");
  }

  @Test
  void run_doublesWithoutANumber_areRead() {
    List<Event> events =
        events(
            i -> set("a", Value.of(i % 3 == 0 ? -0.0 : i % 100 == 0 ? Double.NaN : i / 2.0)),
            i -> set("b", Value.of(i % 2 == 0 ? 0.0 : 1.0)));
    assertAlike(events, "SELECT a FROM t WHEN a@n0 > 1000.0 OR a@n1 = 0.0 AND b@n1 = 0.0;");
  }

  @Test
  void run_otherTypeThanBefore_isRead() {
    List<Event> events =
        events(
            i -> set("a", i < 200 ? Value.of(i % 9) : Value.of("text " + i % 9)),
            i -> set("b", Value.of(i % 9)));
    assertAlike(events, "SELECT a FROM t WHEN a@n0 = 'text 3' AND b@n1 > 4 ON ERROR SKIP;");
    assertAlike(
        events, "SELECT b FROM t WHEN EXISTS x IN b : (x > 7) AND a@n1 = 'text 4' ON ERROR SKIP;");
  }

  /** Rows that are not sealed are in a block for each run, all of which overlap. */
  @Test
  void run_overlappingBlocksOfOneVariable_areReadAsOne() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      // Two nodes have the same stamp; a node has another run in the second half.
      long hlc = HlcTimestamp.pack(1_010 + 2L * (i / 2), i % 7 == 0 ? 1 : 0);
      String run = i < ROWS / 2 ? "1" : "2";
      events.add(event("n" + i % 4, run, hlc, set("a", Value.of(i % 37 == 0 ? 9 : i % 6))));
    }
    events.sort(Comparator.comparingLong(Event::hlc));
    assertAlike(events, "SELECT a, Age(a) AS age FROM t WHEN MAX(a) - a@n1 > 6 EMIT INTERVALS;");
    assertAlike(events, "SELECT a FROM t WHEN a@n0 > 8 AND a@n3 = 5 LIMIT 3;");
    assertAlike(events, "SELECT MIN(a) AS low FROM t WHEN SPREAD(a) > 8 EMIT EDGES;");
  }

  /** Compares answers and cuts of sealed history with those of memory; returns the answer. */
  private static String assertAlike(List<Event> events, String text) {
    QueryEngine memory = EngineRules.off(OracleTest.engine(events));
    String expected = RuleComparison.outcome(memory, text);
    String cuts = RuleComparison.cuts(memory, text);
    for (long seed = 0; seed < BORDERS; seed++) {
      SealedSource source =
          new SealedSource(OracleTest.source(events), events, new Random(SPREAD * seed));
      QueryEngine sealed = new QueryEngine(source, OracleTest.LIMITS);
      assertThat(RuleComparison.outcome(sealed, text)).as("seed %d", seed).isEqualTo(expected);
      assertThat(RuleComparison.cuts(sealed, text)).as("seed %d", seed).isEqualTo(cuts);
    }
    return expected;
  }

  /** Something that happens at an event. */
  private interface Writer {
    EventBody write(int event);
  }

  /** A log of three nodes that do one of some things at each event. */
  private static List<Event> events(Writer... writers) {
    Random random = new Random(1);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      int writer = i < 3 * writers.length ? i / 3 : random.nextInt(writers.length);
      int node = i < 3 * writers.length ? i % 3 : random.nextInt(3);
      long hlc = HlcTimestamp.pack(1_010 + 2L * i);
      events.add(event("n" + node, "run", hlc, writers[writer].write(i)));
    }
    return events;
  }

  private static Event event(String node, String run, long hlc, EventBody body) {
    return new Event(node, "t", hlc, Event.NO_PHYSICAL, Event.NO_SEQUENCE, Set.of(), body).of(run);
  }

  private static EventBody set(String variable, Value value) {
    return new StateChange(List.of(new Change(Operation.SET, variable, value)));
  }
}
