// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the engine with the oracle for rules over STRINGs, DOUBLEs and BOOLEANs, over variables
 * whose type changes, and over several variables that are written alone or together.
 */
class RulesOfTypesTest {
  private static final int MOST_CASES = 700;

  /** The cases that detect the rules for which a search from the first one takes long. */
  private static final Map<String, Integer> DETECTED_BY =
      Map.of(
          "continues runs at places that are NULL",
          123,
          "answers each ninth time as the time before",
          105);

  /** Eleven minutes of processor time, as a case takes about 17 ms. */
  private static final int SLOW_CASES = 40_000;

  private static final RuleComparison CASES =
      new RuleComparison(RulesOfTypesTest::events, RulesOfTypesTest::query);

  /** The names of variables: of LONGs, STRINGs, DOUBLEs, BOOLEANs, and of several types. */
  private static final List<String> VARIABLES = List.of("a", "s", "d", "b", "c");

  @Test
  void rows_ofPredicatesOverTypes_areTheOraclesRows() {
    CASES.compare(175);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyPredicatesOverTypes_areTheOraclesRows() {
    CASES.compare(Integer.getInteger("oracle.cases", SLOW_CASES));
  }

  @Test
  void rows_ofSealedBlocks_areThoseOfMemory() {
    CASES.compareSealed(125);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManySealedBlocks_areThoseOfMemory() {
    CASES.compareSealed(Integer.getInteger("oracle.cases", SLOW_CASES));
  }

  /** The second block holds LONGs only, also of a variable whose values were BOOLEANs before. */
  @Test
  void run_aBlockOfLongsInPlaceOfAnotherType_fails() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 2 * 2_048; i++) {
      boolean isSecond = i >= 2_048;
      Value value = isSecond || i % 2 == 0 ? Value.of(0) : Value.of(false);
      String node = !isSecond && i % 4 > 1 ? "n2" : "n1";
      events.add(write(node, 1_000 + i, List.of(QuietRuleTest.set(i % 2 == 0 ? "a" : "b", value))));
    }
    String text = "SELECT a FROM t WHEN b@n1 AND a@n1 > 0;";
    QueryEngine engine = OracleTest.engine(events);
    assertThatThrownBy(() -> engine.run(engine.prepare(text), new OracleTest.Result(text)))
        .isInstanceOf(RqlException.class);
  }

  static Set<String> wrongRules() {
    return WrongRules.all().keySet();
  }

  @ParameterizedTest
  @MethodSource("wrongRules")
  void rows_ofAWrongRule_differ(String name) {
    UnaryOperator<QuietRule> wrong = WrongRules.all().get(name);
    int first = DETECTED_BY.getOrDefault(name, 0);
    int tried = 0;
    while (tried < MOST_CASES && !CASES.differs((first + tried) % MOST_CASES, wrong)) {
      tried++;
    }
    assertThat(tried).as("cases that do not detect the rule").isLessThan(MOST_CASES);
  }

  /** Most writes replace a value by one of the same type, in phases of one variable or several. */
  static List<Event> events(Random random) {
    // The first high bits, which nextInt(4) would take, are the same for neighbouring seeds.
    int nodes = 1 + random.nextInt(60) % 4;
    int otherOneOf = pick(random, 20, 60, 1_000);
    int several = random.nextInt(3);
    List<Event> events = new ArrayList<>();
    events.add(write("n1", 1_000, VARIABLES.stream().map(name -> own(name, 0, random)).toList()));
    long micros = 1_000;
    long[] last = new long[nodes + 1];
    int count = 30 + random.nextInt(150);
    for (int i = 0; i < count; i++) {
      micros += i == 0 || random.nextInt(6) > 0 ? 1 + random.nextInt(3) : 0;
      int node = 1 + random.nextInt(nodes);
      if (last[node] < micros) {
        last[node] = micros;
        events.add(
            random.nextInt(otherOneOf) == 0
                ? other("n" + node, micros, random)
                : write("n" + node, micros, changes(several, i / 40, random)));
      }
    }
    return events;
  }

  private static Event write(String node, long micros, List<Change> changes) {
    return new Event(node, "t", HlcTimestamp.pack(micros), new EventBody.StateChange(changes));
  }

  private static List<Change> changes(int several, int phase, Random random) {
    if (several == 0 || random.nextInt(4) > 0) {
      return List.of(own(VARIABLES.get(random.nextInt(VARIABLES.size())), phase, random));
    }
    List<Change> changes = new ArrayList<>();
    int first = random.nextInt(VARIABLES.size() - 1);
    for (int i = first; i < Math.min(VARIABLES.size(), first + 1 + several); i++) {
      changes.add(own(VARIABLES.get(i), phase, random));
    }
    if (random.nextInt(10) == 0) {
      changes.add(changes.get(0)); // twice in one event
    }
    return changes;
  }

  /** A change to a value of the type that the variable has in a phase. */
  private static Change own(String variable, int phase, Random random) {
    int type = VARIABLES.indexOf(variable);
    return QuietRuleTest.set(variable, value(type < 4 ? type : phase % 4, random));
  }

  private static Value value(int type, Random random) {
    return switch (type) {
      case 0 -> Value.of(random.nextInt(60) > 0 ? random.nextInt(5) : (1L << 53) + 1);
      case 1 -> Value.of(pick(random, "x", "x", "y", "y", "y", "z", "text " + random.nextInt(9)));
      case 2 ->
          random.nextInt(40) > 0
              ? Value.of((random.nextInt(9) - 3) / 2.0)
              : Value.of(
                  pick(random, -0.0, -9.5, 0x1p53, 1e308, Double.NaN, Double.NEGATIVE_INFINITY));
      default -> Value.of(random.nextInt(3) > 0);
    };
  }

  /** An event that is more than writes of the types that the variables have. */
  private static Event other(String node, long micros, Random random) {
    long hlc = HlcTimestamp.pack(micros);
    String variable = VARIABLES.get(random.nextInt(VARIABLES.size()));
    return switch (random.nextInt(6)) {
      case 0 -> new Event(node, "", hlc, new EventBody.Stop());
      case 1 -> new Event(node, "t", hlc, new EventBody.LogLine("x", Map.of("k", Value.of(1))));
      case 2 -> write(node, micros, List.of(new Change(Operation.UNSET, variable, NullValue.NULL)));
      case 3 -> write(node, micros, List.of(QuietRuleTest.set(variable, Value.setOf(Value.of(1)))));
      case 4 -> write(node, micros, List.of(QuietRuleTest.set(variable, NullValue.NULL)));
      default ->
          write(
              node, micros, List.of(QuietRuleTest.set(variable, value(random.nextInt(4), random))));
    };
  }

  private static String query(Random random) {
    StringBuilder query = new StringBuilder("SELECT s, d, c, a@n1 AS i1, Prev(c) AS i2");
    query.append(", Age(s) AS i3, Changed(d) AS i4, b FROM t WHEN ").append(predicate(2, random));
    query.append(random.nextInt(5) == 0 ? " FOR " + (1 + random.nextInt(6)) + "us" : "");
    query.append(random.nextInt(10) == 0 ? " AT NODES n1" : "");
    query.append(pick(random, "", " EMIT CUTS", " EMIT INTERVALS", " EMIT EDGES"));
    return query.append(random.nextInt(4) > 0 ? " ON ERROR SKIP;" : ";").toString();
  }

  private static String predicate(int depth, Random random) {
    return switch (random.nextInt(depth == 0 ? 6 : 10)) {
      case 0, 1 -> ofTexts(random);
      case 2, 3 -> ofNumbers(random);
      case 4 -> ofTruths(random);
      case 5 -> overNodes(random);
      case 6, 7 ->
          "(%s AND %s)".formatted(predicate(depth - 1, random), predicate(depth - 1, random));
      case 8 -> "(%s OR %s)".formatted(predicate(depth - 1, random), predicate(depth - 1, random));
      default -> "(NOT %s)".formatted(predicate(depth - 1, random));
    };
  }

  private static String ofTexts(Random random) {
    String variable = pick(random, "s", "s", "s", "c");
    String equal = pick(random, "=", "!=");
    String text = pick(random, "'x'", "'y'", "'nowhere'");
    return switch (random.nextInt(9)) {
      case 0, 1 -> "%s@n1 %s %s".formatted(variable, equal, text);
      case 2 -> "%s %s %s@n2".formatted(text, equal, variable);
      case 3 -> "s@n1 %s %s@n2".formatted(equal, variable);
      case 4 -> "%s@n1 %s {'z', %s}".formatted(variable, pick(random, "IN", "NOT IN"), text);
      case 5 -> "EXISTS v IN %s : (v %s %s)".formatted(variable, equal, text);
      case 6 -> "FORALL u, v IN %s : (u %s v)".formatted(variable, equal);
      case 7 -> "s@n1 > %s".formatted(pick(random, text, variable + "@n2", "s@n2"));
      default ->
          "(COUNT n IN NODES : (%s@n %s %s)) > %d"
              .formatted(variable, equal, text, random.nextInt(3));
    };
  }

  private static String ofNumbers(Random random) {
    String variable = pick(random, "d", "d", "d", "a", "c");
    String comparison = pick(random, "<", "<=", ">", ">=", "=", "!=");
    String bound = pick(random, "0", "1", "2.5", "0.25", "3", "-0.5", "1.0");
    return switch (random.nextInt(14)) {
      case 0, 1 -> "%s@n1 %s %s".formatted(variable, comparison, bound);
      case 2 -> "%s %s %s@n2".formatted(bound, comparison, variable);
      case 3 -> "d@n1 %s %s@n2".formatted(comparison, variable);
      case 4 ->
          "%s(%s) %s %s"
              .formatted(
                  pick(random, "MIN", "MAX", "COUNT", "SPREAD"), variable, comparison, bound);
      case 5 -> "EXISTS v IN %s : (v %s %s)".formatted(variable, comparison, bound);
      case 6 -> "FORALL u, v IN %s : (u - v %s %s)".formatted(variable, comparison, bound);
      case 7 -> "d@n1 - %s@n2 %s %s".formatted(variable, comparison, bound);
      case 10, 11, 12 -> "%s %s %s".formatted(computed(random), comparison, bound);
      case 13 -> "%s %s %s".formatted(computed(random), comparison, computed(random));
      case 8 -> "%s@n1 IN {1, %s}".formatted(variable, bound.startsWith("-") ? "0" : bound);
      default ->
          "EXISTS n IN NODES : (%s@n %s %s AND a@n > 1)".formatted(variable, comparison, bound);
    };
  }

  private static String computed(Random random) {
    String left = pick(random, "d@n1", "d@n1", "MAX(d)", "SPREAD(d)", "a@n1", "c@n1");
    String right = pick(random, "d@n2", "d@n2", "MIN(d)", "2", "0.5", "a@n2", "c@n2");
    String operator = pick(random, "-", "-", "+", "*", "/", "%");
    String result = "(%s %s %s)".formatted(left, operator, right);
    return pick(random, "", "", "", "Abs", "-", "1.5 * ") + result;
  }

  private static String ofTruths(Random random) {
    String variable = pick(random, "b", "b", "b", "c");
    return switch (random.nextInt(7)) {
      case 0 -> variable + "@n1";
      case 1 -> "NOT %s@n2".formatted(variable);
      case 2 -> "%s@n1 = %s".formatted(variable, pick(random, "TRUE", "FALSE"));
      case 3 -> "%s@n1 != b@n2".formatted(variable);
      case 4 -> "EXISTS v IN %s : (v)".formatted(variable);
      case 5 ->
          "%s n IN NODES : (%s%s@n)"
              .formatted(pick(random, "EXISTS", "FORALL"), pick(random, "", "NOT "), variable);
      default -> "(COUNT n IN NODES : (%s@n = FALSE)) = %d".formatted(variable, random.nextInt(3));
    };
  }

  private static String overNodes(Random random) {
    String outer = pick(random, "EXISTS", "FORALL");
    String inner = pick(random, "EXISTS", "FORALL");
    return switch (random.nextInt(4)) {
      case 0 ->
          "%s n IN NODES : (%s k IN NODES : (s@n = s@k AND a@n > a@k))".formatted(outer, inner);
      case 1 -> "%s n IN NODES : (s@n = 'x' OR d@n > 1.5)".formatted(outer);
      case 2 -> "%s n IN NODES : (c@n = 'x')".formatted(outer);
      default -> "%s n IN NODES : (%s v IN d : (v > d@n))".formatted(outer, inner);
    };
  }

  @SafeVarargs
  private static <T> T pick(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
