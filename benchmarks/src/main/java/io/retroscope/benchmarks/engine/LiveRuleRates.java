// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveGroup;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LiveWalk;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;

/**
 * A comparison of live rules that advance together with the same rules that advance one by one, in
 * CPU time of one thread, as the watermark moves every 5 ms of 10,000 events a second: rules over
 * one variable, and over a variable each.
 */
public final class LiveRuleRates {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int MICROS_PER_EVENT = 100;
  private static final int EVENTS_PER_ADVANCE = 50;
  private static final int NODES = 3;
  private static final int VALUES = 1_000;

  /** A kind of rules, in which %1$s is the variable and %2$d a number that is rarely exceeded. */
  private record Kind(String name, String text) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("comparisons", "SELECT STREAM %1$s FROM t WHEN SPREAD(%1$s) > %2$d EMIT EDGES"),
          new Kind(
              "NOT THEN",
              "SELECT STREAM %1$s FROM t WHEN SPREAD(%1$s) > %2$d NOT THEN SPREAD(%1$s) < 3"
                  + " WITHIN 20ms EMIT EDGES"),
          new Kind(
              "FOR EACH NODE",
              "SELECT STREAM n FROM t FOR EACH NODE n WHEN %1$s@n > %2$d EMIT EDGES"),
          new Kind(
              "NOT AFTER",
              "SELECT STREAM %1$s FROM t WHEN SPREAD(%1$s) > %2$d NOT AFTER MAX(%1$s) > 10"
                  + " WITHIN 50ms EMIT EDGES"),
          new Kind(
              "ages",
              "SELECT STREAM %1$s FROM t WHEN MAX(%1$s) > %2$d AND MAX(AGE(%1$s)) > 40ms"
                  + " EMIT EDGES"));

  private final int count;
  private final int events;
  private final int rounds;

  private LiveRuleRates(int count, int events, int rounds) {
    this.count = count;
    this.events = events;
    this.rounds = rounds;
  }

  /**
   * Takes the number of rules, of events in thousands, and of rounds; and the only kind, if any.
   */
  public static void main(String[] args) {
    Arguments given = new Arguments(args, "rules, thousands of events, rounds, perhaps a kind");
    LiveRuleRates rates =
        new LiveRuleRates(given.number(0), 1_000 * given.number(1), given.number(2));

    for (Kind kind : KINDS) {
      if (!given.has(3) || given.text(3).equals(kind.name())) {
        rates.compare(kind.name() + " over one variable", List.of(kind), 1);
      }
    }
    if (given.has(3)) {
      return;
    }
    rates.compare("comparisons over a variable each", KINDS.subList(0, 1), rates.count);
    rates.compare("rules of five kinds over one variable", KINDS, 1);
    rates.compare("rules of five kinds over a variable each", KINDS, rates.count);
  }

  private void compare(String what, List<Kind> kinds, int variables) {
    InMemoryEventSource source = new InMemoryEventSource(log(variables), ClockOffsets.UNKNOWN);
    List<String> rules = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rules.add(
          kinds.get(i % kinds.size()).text().formatted("v" + i % variables, VALUES - 10 + i % 7));
    }
    double alone = Double.MAX_VALUE;
    double together = Double.MAX_VALUE;
    int walks = 0;
    for (int round = 0; round < rounds; round++) {
      List<Integer> rowsAlone = new ArrayList<>();
      List<Integer> rowsTogether = new ArrayList<>();
      double sum = 0;
      // A part of the rules has the cost of all, in proportion.
      for (int i = 0; i < count; i += step()) {
        sum += follow(source, List.of(rules.get(i)), rowsAlone).seconds();
      }
      Cost all = follow(source, rules, rowsTogether);
      walks = all.walks();
      alone = Math.min(alone, sum / rowsAlone.size());
      together = Math.min(together, all.seconds());
      for (int i = 0; i < rowsAlone.size(); i++) {
        if (!rowsAlone.get(i).equals(rowsTogether.get(i * step()))) {
          throw new AssertionError("together " + rowsTogether + ", alone " + rowsAlone);
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d %s, %,d events: alone %.3f s each; together %.3f s in %d walks: %.1f times one rule,"
            + " %.3f of %d rules alone%n",
        count,
        what,
        events,
        alone,
        together,
        walks,
        together / alone,
        together / (alone * count),
        count);
  }

  /** The distance of the rules that are measured alone, among which are all kinds. */
  private int step() {
    return Math.max(1, count / 20 + (count / 20 % KINDS.size() == 0 ? 1 : 0));
  }

  private record Cost(double seconds, int walks) {}

  private Cost follow(InMemoryEventSource source, List<String> rules, List<Integer> rows) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    LiveGroup group = engine.newLiveGroup();
    List<Counter> counters = new ArrayList<>();
    try (EventSource.View view = source.open()) {
      LiveStart start = LiveStart.at(stamp(0));
      for (String rule : rules) {
        Counter counter = new Counter();
        counters.add(counter);
        LiveWalk unused = engine.openLive(engine.prepare(rule), view, start, counter, group);
      }
      long began = CpuTime.ofThread();
      for (int i = EVENTS_PER_ADVANCE; i <= events; i += EVENTS_PER_ADVANCE) {
        group.advance(view, watermark(i));
      }
      double seconds = (CpuTime.ofThread() - began) / 1e9;
      counters.forEach(counter -> rows.add(counter.rows));
      return new Cost(seconds, group.walkCount());
    }
  }

  private static long stamp(long event) {
    return HlcTimestamp.pack(START_MICROS + event * MICROS_PER_EVENT);
  }

  private static Watermark watermark(long event) {
    return new Watermark(stamp(event), new TreeSet<>());
  }

  private List<Event> log(int variables) {
    Random random = new Random(7);
    List<Event> log = new ArrayList<>(events);
    for (int i = 0; i < events; i++) {
      int variable = i < variables * NODES ? i / NODES : random.nextInt(variables);
      Change change = new Change(Operation.SET, "v" + variable, Value.of(random.nextInt(VALUES)));
      log.add(new Event("n" + i % NODES, "t", stamp(i), new StateChange(List.of(change))));
    }
    return log;
  }

  /** A sink for alerts, which use no warnings. */
  private static final class Counter implements RowSink {
    private int rows;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      rows++;
      return true;
    }

    @Override
    public boolean takesWarnings() {
      return false;
    }

    @Override
    public void warning(String message) {}
  }
}
