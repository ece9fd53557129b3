// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that zones which answer for sealed blocks change no row, with random borders, late events
 * and unsealed ones. {@code -Doracle.seed} replays one case, {@code -Doracle.from} and {@code
 * -Doracle.cases} run others.
 */
class ZoneAnswerTest {
  private static final int MOST_CASES = 3_000;

  /** The cases that detect the zones for which a search from the first one takes long. */
  private static final Map<String, Integer> DETECTED_BY =
      Map.of(
          "early minimum",
          1_730,
          "early maximum",
          1_144,
          "late maximum",
          158,
          "smallest spread",
          548,
          "largest spread",
          195,
          "never changed",
          195);

  @Test
  void rows_withZones_areThoseWithoutRulesAndWithoutZones() {
    compare(250);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyBlocksWithZones_areThoseWithoutRulesAndWithoutZones() {
    compare(Integer.getInteger("oracle.cases", 200_000));
  }

  private static void compare(int cases) {
    Long one = Long.getLong("oracle.seed");
    long from = one == null ? Long.getLong("oracle.from", 0) : one;
    long answered = 0;
    for (long seed = from; seed < from + (one == null ? cases : 1); seed++) {
      Random random = new Random(seed);
      List<Event> events = events(random);
      String text = query(random);
      if (!isValid(events, text)) {
        continue;
      }
      QueryEngine memory = OracleTest.engine(events);
      SealedSource source = new SealedSource(OracleTest.source(events), events, random);
      QueryEngine sealed = new QueryEngine(source, OracleTest.LIMITS);
      Supplier<String> what = OracleTest.what(seed, text, events);
      String rows = RuleComparison.outcome(sealed, text);
      assertThat(rows).as(what).isEqualTo(RuleComparison.outcome(EngineRules.off(memory), text));
      assertThat(rows)
          .as(() -> "without zones, " + what.get())
          .isEqualTo(RuleComparison.outcome(EngineRules.withoutZones(sealed), text));
      answered += seed % 5 == 0 ? answered(sealed, text) : 0;
    }
    if (one == null) {
      assertThat(answered).as("blocks answered by their zones").isGreaterThan(cases / 5);
    }
  }

  /** At such a cut the other variable has its value from before the block. */
  @Test
  void run_aRowBeforeTheFirstWriteOfAnotherVariable_isFound() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String variable = i % 5 < 2 ? "a" : "b";
      long[] numbers = {1, 9, 6, 5, 0};
      events.add(write("n1", 1_000 + i, variable, numbers[i % 5]));
    }
    assertSameRows(events, "SELECT a FROM t WHEN MAX(a) < 4 AND MIN(b) < 4;");
  }

  /** The predicate is NULL as soon as a node without a value is part of the cut. */
  @Test
  void run_aNodeThatIsFirstSeenWithinABlock_endsTheInterval() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      boolean isNew = i == 43;
      String node = isNew ? "n3" : "n" + (1 + i % 2);
      events.add(write(node, 1_000 + i, isNew ? "other" : "a", 5 + i % 3));
    }
    assertSameRows(events, "SELECT a FROM t WHEN FORALL n IN NODES : (a@n > 3) EMIT INTERVALS;");
  }

  private static Event write(String node, long micros, String variable, long number) {
    return QuietRuleTest.write(
        node, HlcTimestamp.pack(micros), QuietRuleTest.set(variable, Value.of(number)));
  }

  private static void assertSameRows(List<Event> events, String text) {
    String expected = RuleComparison.outcome(EngineRules.off(OracleTest.engine(events)), text);
    long answered = 0;
    for (long seed = 0; seed < 100; seed++) {
      SealedSource source = new SealedSource(OracleTest.source(events), events, new Random(seed));
      QueryEngine sealed = new QueryEngine(source, OracleTest.LIMITS);
      assertThat(RuleComparison.outcome(sealed, text)).as("seed %d", seed).isEqualTo(expected);
      answered += answered(sealed, text);
    }
    assertThat(answered).isPositive();
  }

  static Set<String> wrongZones() {
    return WrongZones.all().keySet();
  }

  @ParameterizedTest
  @MethodSource("wrongZones")
  void rows_ofAWrongZone_differ(String name) {
    int first = DETECTED_BY.getOrDefault(name, 0);
    int tried = 0;
    while (tried < MOST_CASES
        && !differs((first + tried) % MOST_CASES, WrongZones.all().get(name))) {
      tried++;
    }
    assertThat(tried).as("cases that do not detect the zone").isLessThan(MOST_CASES);
  }

  private static boolean differs(long seed, BiFunction<LongZone, Long, LongZone> wrong) {
    Random random = new Random(seed);
    List<Event> events = events(random);
    String text = query(random);
    if (!isValid(events, text)) {
      return false;
    }
    SealedSource source = new SealedSource(OracleTest.source(events), events, random);
    source.useZones(wrong);
    QueryEngine sealed = new QueryEngine(source, OracleTest.LIMITS);
    return !RuleComparison.outcome(sealed, text)
        .equals(RuleComparison.outcome(EngineRules.withoutZones(sealed), text));
  }

  /** Returns logs of which most have hardly any event but numbers that change a little. */
  private static List<Event> events(Random random) {
    // Neighbouring seeds begin with the same high bits, which nextInt(4) would take.
    if (random.nextInt(60) % 4 == 0) {
      return QuietRuleTest.events(random);
    }
    int nodes = 1 + random.nextInt(4);
    int count = 60 + random.nextInt(150);
    boolean hasTies = random.nextBoolean();
    boolean hasB = random.nextBoolean();
    long[] numbers = new long[nodes + 1];
    long[] last = new long[nodes + 1];
    List<Event> events = new ArrayList<>();
    long micros = 1_000;
    for (int i = 0; i < count; i++) {
      micros += hasTies && random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(3);
      int node = 1 + random.nextInt(nodes);
      if (last[node] < micros) {
        last[node] = micros;
        numbers[node] += random.nextInt(3) - (random.nextInt(8) == 0 ? 4 : 1);
        events.add(event("n" + node, HlcTimestamp.pack(micros), numbers[node], hasB, random));
      }
    }
    return events;
  }

  private static Event event(String node, long hlc, long number, boolean hasB, Random random) {
    Value value = Value.of(number);
    return switch (random.nextInt(300)) {
      case 0 -> QuietRuleTest.write(node, hlc, QuietRuleTest.set("a", Value.of("text")));
      case 1 -> QuietRuleTest.write(node, hlc, QuietRuleTest.set("other", value));
      default -> {
        if (!hasB || random.nextInt(3) > 0) {
          yield QuietRuleTest.write(node, hlc, QuietRuleTest.set("a", value));
        }
        yield random.nextBoolean()
            ? QuietRuleTest.write(node, hlc, QuietRuleTest.set("b", value))
            : QuietRuleTest.write(
                node, hlc, QuietRuleTest.set("a", value), QuietRuleTest.set("b", Value.of(7)));
      }
    };
  }

  /** Returns queries of which many have few rows. */
  private static String query(Random random) {
    if (random.nextInt(3) == 0) {
      return QuietRuleTest.query(random);
    }
    String variable = random.nextInt(3) > 0 ? "a" : "b";
    int bound = random.nextInt(12) - 2;
    String predicate =
        switch (random.nextInt(12)) {
          case 0 -> "MAX(%s) > %d".formatted(variable, bound);
          case 1 -> "MIN(%s) > %d".formatted(variable, bound);
          case 2 -> "SPREAD(%s) > %d".formatted(variable, bound);
          case 3 -> "SPREAD(%s) < %d".formatted(variable, bound);
          case 4 -> "COUNT(%s) > %d".formatted(variable, bound);
          case 5 -> "EXISTS x, y IN %s : (x - y > %d)".formatted(variable, bound);
          case 6 -> "%s@n1 - %s@n2 > %d".formatted(variable, variable, bound);
          case 7 -> "(COUNT n IN NODES : (%s@n > %d)) > 1".formatted(variable, bound);
          case 8 -> "MIN(a) > %d AND MAX(b) < %d".formatted(bound, bound + 4);
          case 9 -> "SPREAD(b) > %d OR MAX(a) < %d".formatted(bound, -bound);
          default -> "MAX(a) < %d AND MIN(b) < %d".formatted(bound, bound);
        };
    String select = random.nextBoolean() ? "a, Age(a) AS i1" : variable;
    return "SELECT %s FROM t WHEN %s%s%s%s ON ERROR SKIP;"
        .formatted(
            select,
            predicate,
            random.nextInt(5) == 0 ? " FOR " + (1 + random.nextInt(20)) + "us" : "",
            random.nextInt(8) == 0 ? " AT NODES n1, n2" : "",
            switch (random.nextInt(4)) {
              case 0 -> " EMIT INTERVALS";
              case 1 -> " EMIT EDGES";
              default -> "";
            });
  }

  private static boolean isValid(List<Event> events, String text) {
    try {
      OracleTest.engine(events).prepare(text);
      return true;
    } catch (RqlException e) {
      return false; // AT NODES names a node that the log does not have.
    }
  }

  /** The number of blocks that zones answered for. */
  private static long answered(QueryEngine engine, String text) {
    Answered answered = new Answered();
    try {
      engine.run(engine.prepare("EXPLAIN ANALYZE " + text), answered);
    } catch (RqlException e) {
      return 0; // The predicate fails at a cut.
    }
    return answered.blocks;
  }

  /** Reads the number of blocks from the rows of EXPLAIN ANALYZE. */
  private static final class Answered implements RowSink {
    private static final String LINE = "blocks answered by their zones: ";
    private long blocks;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      String line = ((StringValue) row.values().get(0)).value();
      blocks = line.startsWith(LINE) ? Long.parseLong(line.substring(LINE.length())) : blocks;
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
