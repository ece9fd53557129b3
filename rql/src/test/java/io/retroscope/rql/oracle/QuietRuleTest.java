// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventBody.Start;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.oracle.OracleTest.Result;
import java.util.ArrayList;
import java.util.Comparator;
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
 * Compares the engine with the oracle for predicates that have a quiet rule, over logs in which
 * most events replace one number by another, so that most cuts are passed over. {@code
 * -Doracle.seed} replays one case, {@code -Doracle.from} and {@code -Doracle.cases} run others.
 */
class QuietRuleTest {
  private static final int MOST_CASES = 1_000;

  /** The cases that detect the rules for which a search from the first one takes long. */
  private static final Map<String, Integer> DETECTED_BY =
      Map.of(
          "continues runs at places that are NULL",
          646,
          "passes over one of 7 cuts that are TRUE",
          115,
          "passes over one of 7 cuts that it does not know",
          121,
          "continues runs at what it does not know",
          90);

  private static final RuleComparison CASES =
      new RuleComparison(QuietRuleTest::events, QuietRuleTest::query);
  private static final List<String> COMPARISONS = List.of("<", "<=", ">", ">=", "=", "!=");

  @Test
  void rows_ofPredicatesWithARule_areTheOraclesRows() {
    CASES.compare(250);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyPredicatesWithARule_areTheOraclesRows() {
    CASES.compare(Integer.getInteger("oracle.cases", 200_000));
  }

  @Test
  void rows_ofSealedBlocks_areThoseOfMemory() {
    assertThat(CASES.compareSealed(300)).as("blocks that are columns of LONGs").isGreaterThan(300);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManySealedBlocks_areThoseOfMemory() {
    CASES.compareSealed(Integer.getInteger("oracle.cases", 200_000));
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

  /**
   * The spread fails only while both numbers are there, and every row before and after is quiet.
   */
  @Test
  void run_failureAmongQuietCuts_endsTheQuery() {
    List<Event> events = new ArrayList<>();
    long[] numbers = {1, 1, 2, Long.MAX_VALUE, Long.MIN_VALUE, 1, 1, 2, 2};
    for (int i = 0; i < numbers.length; i++) {
      Value number = Value.of(numbers[i]);
      events.add(write("n" + (1 + i % 2), HlcTimestamp.pack(1_010 + i), set("a", number)));
    }
    events.add(write("n3", HlcTimestamp.pack(1_000), set("b", Value.of(1))));
    QueryEngine engine = OracleTest.engine(events);
    for (String left : List.of("", "EXISTS n IN NODES : (a@n = 9) AND ")) {
      String text = "SELECT a FROM t WHEN " + left + "SPREAD(a) = 3;";
      assertThatThrownBy(() -> engine.run(engine.prepare(text), new Result(text)))
          .as(text)
          .isInstanceOf(RqlException.class);
    }
  }

  /** The last of two values that one event sets is the only one that any cut has. */
  @Test
  void run_variableSetTwiceByOneEvent_hasItsLastValue() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      long first = i % 10 == 3 ? 99 : i % 3;
      long last = i % 20 == 9 ? 77 : i % 3;
      events.add(
          write(
              "n" + (1 + i % 2),
              HlcTimestamp.pack(1_000 + i),
              set("a", Value.of(first)),
              set("b", Value.of(i)),
              set("a", Value.of(last))));
    }
    for (String predicate : List.of("MAX(a) > 90", "a@n1 > 90 OR a@n2 > 90")) {
      assertThat(count(events, predicate)).as(predicate).isZero();
    }
    assertThat(count(events, "MAX(a) > 70 AND MAX(b) >= 0")).isEqualTo(10);
    assertThat(count(events, "MAX(a) = 77 OR MAX(b) < 0")).isEqualTo(10);
  }

  private static int count(List<Event> events, String predicate) {
    QueryEngine engine = OracleTest.engine(events);
    String text = "SELECT a FROM t WHEN " + predicate + ";";
    Result result = new Result(text);
    engine.run(engine.prepare(text), result);
    return result.rows().size();
  }

  /** Both runs write a number, so that only the stamp makes the second one more than a write. */
  @Test
  void run_twoRunsWithOneStampAmongQuietCuts_warns() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      events.add(write("n" + (1 + i % 2), HlcTimestamp.pack(1_000 + i), set("a", Value.of(i))));
    }
    long twice = HlcTimestamp.pack(1_005);
    events.add(write("n2", twice, set("a", Value.of(7))).of("later"));
    assertWarnsOfTwoRuns(OracleTest.engine(events));
    events.sort(Comparator.comparingLong(Event::hlc));
    int longBlocks = 0;
    for (long seed = 0; seed < 50; seed++) {
      SealedSource source = new SealedSource(OracleTest.source(events), events, new Random(seed));
      assertWarnsOfTwoRuns(new QueryEngine(source, OracleTest.LIMITS));
      longBlocks += source.longBlocks();
    }
    assertThat(longBlocks).isPositive();
  }

  private static void assertWarnsOfTwoRuns(QueryEngine engine) {
    Result result = new Result("");
    engine.run(engine.prepare("SELECT a FROM t WHEN SPREAD(a) > 99;"), result);
    assertThat(result.warnings()).anyMatch(warning -> warning.contains("the same stamp"));
  }

  static List<Event> events(Random random) {
    List<Event> events = new ArrayList<>();
    int nodes = 1 + random.nextInt(5);
    int extremeOneOf = random.nextInt(4) == 0 ? 8 : 200;
    boolean arePairs = random.nextInt(3) == 0;
    int lineOneOf = random.nextInt(3) == 0 ? 4 : 100;
    long micros = 1_000;
    long[] last = new long[nodes + 1];
    events.add(
        write("n1", HlcTimestamp.pack(micros), set("a", Value.of(1)), set("b", Value.of(2))));
    int count = 20 + random.nextInt(100);
    for (int i = 0; i < count; i++) {
      micros += i == 0 || random.nextInt(6) > 0 ? 1 + random.nextInt(3) : 0;
      int node = 1 + random.nextInt(nodes);
      if (last[node] < micros) {
        last[node] = micros;
        long hlc = HlcTimestamp.pack(micros);
        Event event = event("n" + node, hlc, extremeOneOf, random);
        if (arePairs && random.nextInt(6) > 0) {
          event = pair("n" + node, hlc, extremeOneOf, random);
        } else if (random.nextInt(lineOneOf) == 0) {
          event = line("n" + node, hlc, random);
        }
        events.add(event);
      }
    }
    return events;
  }

  private static Event event(String node, long hlc, int extremeOneOf, Random random) {
    Value number = number(extremeOneOf, random);
    String variable = random.nextInt(3) == 0 ? "b" : "a";
    return switch (random.nextInt(60)) {
      case 0 -> new Event(node, "", hlc, new EventBody.Stop());
      case 1 ->
          new Event(
              node, "", hlc, new Start("i" + hlc % 2, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE));
      case 2 -> write(node, hlc, new Change(Operation.UNSET, variable, NullValue.NULL));
      case 3 -> write(node, hlc, set(variable, Value.of(random.nextInt(8) / 2.0)));
      case 4 -> write(node, hlc, set("a", number), set("b", number(extremeOneOf, random)));
      case 5 -> new Event(node, "t", hlc, new EventBody.Send("n1", "m"));
      case 6 -> write(node, hlc, set("other", number));
      case 7 ->
          random.nextInt(4) > 0
              ? write(node, hlc, set("a", number))
              : write(node, hlc, set(variable, Value.of("text")));
      default -> write(node, hlc, set(variable, number));
    };
  }

  /** Sets both variables in either order, one of them twice at times. */
  private static Event pair(String node, long hlc, int extremeOneOf, Random random) {
    Change a = set("a", number(extremeOneOf, random));
    Change b = set("b", number(extremeOneOf, random));
    return switch (random.nextInt(20)) {
      case 0 -> write(node, hlc, b, a);
      case 1 -> write(node, hlc, a, set("a", number(extremeOneOf, random)));
      case 2 -> write(node, hlc, b, a, set("b", number(extremeOneOf, random)));
      default -> write(node, hlc, a, b);
    };
  }

  /** A log line with a field that few queries follow, that none does, or that is a variable. */
  private static Event line(String node, long hlc, Random random) {
    String field = pick(random, "c", "millis", "a");
    Map<String, Value> fields = Map.of(field, Value.of(random.nextInt(9)));
    return new Event(node, "t", hlc, new EventBody.LogLine("slow", fields));
  }

  static Event write(String node, long hlc, Change... changes) {
    return new Event(node, "t", hlc, new StateChange(List.of(changes)));
  }

  static Change set(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }

  /** Returns mostly small numbers, and one of some is extreme. */
  private static Value number(int extremeOneOf, Random random) {
    if (random.nextInt(extremeOneOf) > 0) {
      return Value.of(random.nextInt(7));
    }
    return Value.of(
        random.nextBoolean()
            ? Long.MAX_VALUE - random.nextInt(2)
            : Long.MIN_VALUE + random.nextInt(2));
  }

  static String query(Random random) {
    StringBuilder query = new StringBuilder("SELECT a, b@n1 AS i1, Prev(a) AS i2, Age(a) AS i3");
    query.append(", Changed(b) AS i4");
    query.append(pick(random, "", "", "", "", ", c@n1 AS i5", ", message@n1 AS i5"));
    query.append(" FROM t ").append(time(random));
    query.append("WHEN ").append(predicate(2, random));
    query.append(random.nextInt(5) == 0 ? " FOR " + (1 + random.nextInt(6)) + "us" : "");
    query.append(random.nextInt(8) == 0 ? " AT NODES n1, n2" : "");
    query.append(pick(random, "", " EMIT CUTS", " EMIT INTERVALS", " EMIT EDGES"));
    query.append(random.nextInt(8) == 0 ? " LIMIT " + random.nextInt(5) : "");
    return query.append(random.nextInt(2) == 0 ? " ON ERROR SKIP;" : ";").toString();
  }

  /** No range, or one that often begins or ends at an event. */
  private static String time(Random random) {
    int from = 1_000 + random.nextInt(120);
    return switch (random.nextInt(9)) {
      case 0 -> "ON TIME hlc'%d.0' ".formatted(from);
      case 1 -> "ON TIME hlc'%d.0' TO hlc'%d.0' ".formatted(from, from + random.nextInt(120));
      case 2 -> "ON TIME LAST %dus ".formatted(random.nextInt(90));
      default -> "";
    };
  }

  static String predicate(int depth, Random random) {
    int kind = random.nextInt(depth == 0 ? 6 : 12);
    String comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
    int bound = random.nextInt(9) - 1;
    return switch (kind) {
      case 0 -> "EXISTS x, y IN %s : (x - y %s %d)".formatted(variable(random), comparison, bound);
      case 1 -> "FORALL x IN %s : (x %s %d)".formatted(variable(random), comparison, bound);
      case 2 ->
          "%s n IN NODES : (%s@n %s %d)"
              .formatted(pick(random, "EXISTS", "FORALL"), variable(random), comparison, bound);
      case 3, 4 -> term(1, random) + " " + comparison + " " + term(1, random);
      case 5 -> random.nextBoolean() ? nullTest(random) : decimal(random, comparison, bound);
      case 6, 7 ->
          "(%s AND %s)".formatted(predicate(depth - 1, random), predicate(depth - 1, random));
      case 10, 11 -> loop(random, comparison, bound);
      case 8 -> "(%s OR %s)".formatted(predicate(depth - 1, random), predicate(depth - 1, random));
      default -> "(NOT %s)".formatted(predicate(depth - 1, random));
    };
  }

  private static String decimal(Random random, String comparison, int bound) {
    return random.nextBoolean()
        ? "%d.5 %s %s".formatted(bound, comparison, term(1, random))
        : "EXISTS x, y IN %s : (x - y %s %d.%d)"
            .formatted(variable(random), comparison, bound, 5 * random.nextInt(2));
  }

  private static String nullTest(Random random) {
    String test = pick(random, " IS NULL", " IS NOT NULL");
    String other = pick(random, " IS NULL", " IS NOT NULL", " > 3");
    String quantifier = pick(random, "EXISTS", "FORALL");
    String a = variable(random);
    String b = variable(random);
    return switch (random.nextInt(5)) {
      case 0 -> a + "@n2" + test;
      case 1 -> "%s n IN NODES : (%s@n%s)".formatted(quantifier, a, test);
      case 2 -> "%s n IN NODES : (%s@n%s AND %s@n%s)".formatted(quantifier, a, test, b, other);
      case 3 -> "%s m, n IN NODES : (%s@m%s OR %s@n%s)".formatted(quantifier, a, test, b, other);
      default ->
          "(COUNT n IN NODES : (%s@n%s AND %s@n%s)) >= %d"
              .formatted(a, test, b, other, random.nextInt(4));
    };
  }

  /** A quantifier with a body that no special rule covers. */
  private static String loop(Random random, String comparison, int bound) {
    String quantifier = pick(random, "EXISTS", "FORALL");
    String a = variable(random);
    String b = variable(random);
    return switch (random.nextInt(6)) {
      case 0 -> "%s x IN %s : (x * 2 %s %d)".formatted(quantifier, a, comparison, bound);
      case 1 ->
          "%s n IN NODES : (%s@n + %s@n %s %d)".formatted(quantifier, a, b, comparison, bound);
      case 2 ->
          "%s x, y IN %s : (x + y %s %d OR x = %d)"
              .formatted(quantifier, a, comparison, bound, bound);
      case 3 ->
          "%s x IN %s : (%s y IN %s : (x - y %s %d))"
              .formatted(quantifier, a, pick(random, "EXISTS", "FORALL"), b, comparison, bound);
      case 4 ->
          "(COUNT n IN NODES : (%s@n > %d AND %s@n %s %d)) >= %d"
              .formatted(a, bound - 1, b, comparison, bound, random.nextInt(3));
      default ->
          "%s m, n IN NODES : (%s@m - %s@n %s %d)".formatted(quantifier, a, b, comparison, bound);
    };
  }

  private static String term(int depth, Random random) {
    String variable = variable(random);
    return switch (random.nextInt(depth == 0 ? 5 : 8)) {
      case 0, 1 -> variable + "@n1";
      case 2 -> pick(random, "MAX", "MIN", "COUNT", "SPREAD", "SUM") + "(" + variable + ")";
      case 3 -> String.valueOf(random.nextInt(8));
      case 4 ->
          "(COUNT n IN NODES : (%s %s %s@n))"
              .formatted(
                  random.nextInt(5), COMPARISONS.get(random.nextInt(COMPARISONS.size())), variable);
      default ->
          "(%s %s %s)"
              .formatted(
                  term(depth - 1, random),
                  pick(random, "+", "-", "*", "%"),
                  term(depth - 1, random));
    };
  }

  private static String variable(Random random) {
    return pick(random, "a", "a", "b");
  }

  private static String pick(Random random, String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
