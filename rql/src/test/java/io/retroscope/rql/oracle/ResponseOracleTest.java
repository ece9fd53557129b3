// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.oracle.OracleTest.Result;
import io.retroscope.rql.parser.OneStatement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares THEN and AFTER on generated logs with their definition, past and live. {@code
 * -Doracle.seed} replays one case.
 */
class ResponseOracleTest {
  private static final List<String> COLLECTIONS =
      List.of("NODES", "a", "a", "b", "b", "c", "ms", "ms", "u");

  @Test
  void rows_ofGeneratedResponses_areThoseOfTheDefinition() {
    compare(250);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyGeneratedResponses_areThoseOfTheDefinition() {
    compare(200_000);
  }

  @Test
  void rows_ofGeneratedElements_areThoseOfEachElementAlone() {
    compareElements(190);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyGeneratedElements_areThoseOfEachElementAlone() {
    compareElements(100_000);
  }

  private static void compareElements(int cases) {
    int withRows = 0;
    int failed = 0;
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = textOfElements(random, events);
      Optional<Result> past = OracleTest.run(events, text);
      if (past.isEmpty()) {
        continue;
      }
      Supplier<String> what = OracleTest.what(seed, text, events);
      if (past.get().error().isPresent()) {
        failed++;
        continue;
      }
      Statement.Query query = (Statement.Query) OneStatement.of(text);
      NaiveQuery.Answer expected = NaiveQuery.answer(events, query, OracleTest.IDLE_MICROS);
      if (expected.error() != null) {
        failed++; // It evaluates elements that never come in the range as well.
        continue;
      }
      assertThat(OracleTest.printed(past.get().rows(), false))
          .as(what)
          .isEqualTo(OracleTest.printed(expected.rows(), false));
      withRows += expected.rows().isEmpty() ? 0 : 1;
      if (query.onTime().isEmpty() && !text.contains("AFTER")) {
        compareLive(random, events, text, past.get(), what);
      }
    }
    if (cases > 1) {
      assertThat(withRows).isGreaterThan(cases / 12);
      assertThat(failed).as("failed").isLessThan(cases / 2);
    }
  }

  private static String textOfElements(Random random, List<Event> events) {
    RandomQuery parts = new RandomQuery(random);
    String node = random.nextInt(4) == 0 ? "e" : "";
    StringBuilder query =
        new StringBuilder(
            node.isEmpty()
                ? "SELECT COUNT x IN a : (x = e) AS n, e IN b AS m, COUNT(c) AS k FROM t FOR EACH "
                : "SELECT a@e AS n, COUNT(c) AS k FROM t FOR EACH ");
    query.append(
        node.isEmpty()
            ? "VALUE e IN " + COLLECTIONS.get(random.nextInt(COLLECTIONS.size()))
            : "NODE e");
    query.append(" WHEN ").append(ofElement(random, parts, !node.isEmpty()));
    if (random.nextInt(4) == 0) {
      query.append(" FOR ").append(1 + random.nextInt(5)).append("us");
    }
    int response = random.nextInt(3);
    boolean negated = response > 0 && random.nextBoolean();
    if (response > 0) {
      query.append(negated ? " NOT" : "").append(response == 1 ? " THEN " : " AFTER ");
      query.append(ofElement(random, parts, !node.isEmpty()));
      boolean within = response == 1 || random.nextBoolean();
      query.append(within ? " WITHIN " + random.nextInt(9) + "us" : "");
    }
    query.append(random.nextInt(5) == 0 ? " AT LIVE NODES" : "");
    if (random.nextInt(4) == 0) {
      query.append(onTime(random, events));
    }
    boolean edges = response != 1 || negated;
    query.append(edges && random.nextInt(3) == 0 ? " EMIT EDGES" : " EMIT INTERVALS");
    return query.append(';').toString();
  }

  private static String ofElement(Random random, RandomQuery parts, boolean isNode) {
    return isNode ? ofNode(random, parts) : ofValue(random, parts);
  }

  private static String ofNode(Random random, RandomQuery parts) {
    return switch (random.nextInt(6)) {
      case 0 -> "a@e > 2";
      case 1 -> "(EXISTS x IN NODES : (x = e AND b@x >= c@x))";
      case 2 -> "b@e = MAX(b)";
      case 3 -> "(e = 'n1' OR " + parts.truth(1) + ")";
      case 4 -> "(e IN Nodes(c) AND " + parts.truth(1) + ")";
      default -> "NOT (c@e < 3)";
    };
  }

  private static String ofValue(Random random, RandomQuery parts) {
    return switch (random.nextInt(6)) {
      case 0 -> "e IN b";
      case 1 -> "(EXISTS x IN a : (x = e))";
      case 2 -> "(COUNT x IN c : (x = e) > 0)";
      case 3 -> "(e = MAX(a) OR " + parts.truth(1) + ")";
      case 4 -> "(e IN a AND " + parts.truth(1) + ")";
      default -> "NOT (e IN c)";
    };
  }

  private static void compare(int cases) {
    Map<String, Integer> withRows = new TreeMap<>();
    int failed = 0;
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = text(random, events);
      Optional<Result> past = OracleTest.run(events, text);
      if (past.isEmpty()) {
        continue;
      }
      Supplier<String> what = OracleTest.what(seed, text, events);
      Statement.Query query = (Statement.Query) OneStatement.of(text);
      NaiveQuery.Answer expected = NaiveQuery.answer(events, query, OracleTest.IDLE_MICROS);
      assertThat(past.get().error().isPresent()).as(what).isEqualTo(expected.error() != null);
      if (expected.error() != null) {
        failed++;
        continue;
      }
      assertThat(OracleTest.printed(past.get().rows(), true))
          .as(what)
          .isEqualTo(OracleTest.printed(expected.rows(), true));
      withRows.merge(
          query.when().flatMap(Statement.When::response).orElseThrow().words(),
          expected.rows().isEmpty() ? 0 : 1,
          Integer::sum);
      if (query.onTime().isEmpty()) {
        compareLive(random, events, text, past.get(), what);
      }
    }
    if (cases > 1) {
      assertThat(withRows).hasSize(4);
      assertThat(withRows.values()).allMatch(count -> count > cases / 50);
      assertThat(failed).as("failed").isLessThan(cases / 2);
    }
  }

  private static void compareLive(
      Random random, List<Event> events, String text, Result past, Supplier<String> what) {
    String live =
        text.replace("SELECT ", "SELECT STREAM ").replace("FROM t ", "FROM t ON TIME hlc'1000.0' ");
    // What the last stamp decides is known when the watermark is above it.
    Optional<Result> stream = OracleTest.runLive(events, live, random, 1);
    boolean ordered = !text.contains("FOR EACH");
    assertThat(OracleTest.printed(stream.orElseThrow().rows(), ordered))
        .as(() -> "live: " + what.get())
        .isEqualTo(OracleTest.printed(past.withoutOpen(), ordered));
  }

  private static String text(Random random, List<Event> events) {
    RandomQuery parts = new RandomQuery(random);
    StringBuilder query = new StringBuilder("SELECT a, Age(b) AS age, COUNT(c) AS n FROM t WHEN ");
    query.append(parts.truth(2));
    if (random.nextInt(4) == 0) {
      query.append(" FOR ").append(random.nextInt(5)).append("us");
    }
    boolean then = random.nextBoolean();
    boolean negated = random.nextBoolean();
    query.append(negated ? " NOT" : "").append(then ? " THEN " : " AFTER ").append(parts.truth(2));
    if (then || random.nextInt(4) > 0) {
      query.append(" WITHIN ").append(random.nextInt(9)).append("us");
    }
    if (then && random.nextBoolean()) {
      query.append(" UNLESS ").append(parts.truth(1));
    }
    query.append(
        switch (random.nextInt(6)) {
          case 0 -> " AT NODES n1, n2";
          case 1 -> " AT LIVE NODES";
          default -> "";
        });
    if (random.nextInt(4) == 0) {
      query.append(onTime(random, events));
    }
    boolean edges = (negated || !then) && random.nextInt(3) == 0;
    query.append(edges ? " EMIT EDGES" : "");
    query.append(random.nextBoolean() ? " ON ERROR SKIP" : "");
    return query.append(';').toString();
  }

  /** A range, half of which begin at an event. */
  private static String onTime(Random random, List<Event> events) {
    long from =
        random.nextBoolean()
            ? events.get(random.nextInt(events.size())).hlc()
            : HlcTimestamp.pack(1_000 + random.nextInt(30), random.nextInt(3));
    long later = HlcTimestamp.micros(from) + random.nextInt(60);
    long to = Math.max(from, HlcTimestamp.pack(later, random.nextInt(3)));
    return " ON TIME hlc'%s' TO hlc'%s'".formatted(HlcTimestamp.text(from), HlcTimestamp.text(to));
  }
}
