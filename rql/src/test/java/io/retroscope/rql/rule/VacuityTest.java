// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.rule.Chance.Unit;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A test of the chances of rules, most of them of the rules in {@code examples/invariants}. */
class VacuityTest {
  private static final Path FOLDER = Path.of("..", "examples", "invariants");
  private static final long SEED = Long.getLong("seed", 20_261_128L);

  @TempDir private Path folder = Path.of("");

  /** The invariants over logs that have their situation. */
  @ParameterizedTest
  @CsvSource({
    "one-leader-per-term",
    "no-lost-update",
    "read-your-writes",
    "monotonic-reads",
    "lease-held-once",
    "committed-by-quorum",
    "exactly-once",
    "causal-delivery",
    "bounded-staleness",
    "answered-in-time",
    "no-ping-pong",
    "config-agrees",
  })
  void invariant_overALogWithItsSituation_isNotVacuous(String name) throws IOException {
    RuleResult keeps = check(rules(name), log(name, "keeps"));
    assertThat(keeps.outcome()).as("%s", keeps).isEqualTo(Outcome.HOLDS);
    assertThat(keeps.chances()).isNotEmpty().allMatch(chance -> chance.count() > 0);
    assertThat(check(rules(name), log(name, "breaks")).outcome()).isEqualTo(Outcome.BROKEN);
  }

  /*
   * Each log is one that keeps the invariant, with a pattern replaced in all lines or, if the
   * replacement is empty, without the lines that have it.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one-leader-per-term  | \"leader\"         | \"candidate\" | EXISTS n IN NODES : (role@n ="
            + " 'leader')",
        "no-lost-update       | \"base\"           | \"since\"     | unknown variable \"base\" in"
            + " log \"kv\"",
        "no-lost-update       | \"base\":          | \"base\":null,\"b\": | base@n IS NOT NULL AND"
            + " version@n IS NOT NULL",
        "read-your-writes     | \"found\":         | \"found\":null,\"f\": | found@n IS NOT NULL"
            + " AND written@n IS NOT NULL",
        "monotonic-reads      | \"1795200000(?!000000)   |               | EXISTS n IN NODES : (v@n"
            + " IS NOT NULL AND Prev(v)@n IS NOT NULL)",
        "lease-held-once      | true               | false         | EXISTS n IN NODES : (v@n)",
        "committed-by-quorum  | \"commit\":        | \"commit\":null,\"c\": | COUNT(commit) >= 1",
        "exactly-once         | \"payment\":       | \"payment\":null,\"p\": | COUNT(payment) >= 1",
        "causal-delivery      | \"after\":         | \"after\":null,\"a\": | after@n IS NOT NULL",
        "bounded-staleness    | \"node\":\"r.\"     | \"node\":\"r1\" | COUNT(v) >= 2",
        "answered-in-time     | \"request\":       |               | unknown variable \"request\""
            + " in log \"http\"",
        "answered-in-time     | \"request\":1      | \"request\":null,\"r\":1 | FOR EACH VALUE r IN"
            + " request",
        "no-ping-pong         | \"owner\":         | \"owner\":null,\"o\": | COUNT(owner) >= 1",
        "config-agrees        | \"node\":\".\"      | \"node\":\"a\" | COUNT(v) >= 2",
      })
  void invariant_overALogWithoutItsSituation_isVacuous(
      String name, String text, String replacement, String part) throws IOException {
    List<String> lines =
        Files.readAllLines(log(name, "keeps")).stream()
            .filter(line -> replacement != null || !Pattern.compile(text).matcher(line).find())
            .map(line -> replacement == null ? line : line.replaceAll(text, replacement))
            .toList();
    Path log = Files.write(folder.resolve("without.ndjson"), lines);
    RuleResult result = check(rules(name), log);
    assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.VACUOUS);
    assertThat(result.reason()).contains(part);
  }

  /** Rules with a condition that is never TRUE, over logs that break the right ones. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one-leader-per-term | role@n = 'leader'      | role@n = 'laeder'",
        "no-lost-update      | base@n < version@n     | base@n < version@n AND version@n < 0",
        "no-lost-update      | base@n < version@n     | base@n < 0 AND base@n < version@n",
        "read-your-writes    | found@n < written@n    | found@n < written@n AND NOT (found@n >= 0)",
        "monotonic-reads     | v@n < Prev(v)@n        | v@n < Prev(v)@n AND v@n < 0",
        "lease-held-once     | (v@n) >= 2             | (v@n AND NOT v@n) >= 2",
        "committed-by-quorum | COUNT(commit) > 0 AND  | COUNT(commit) > 9 AND",
        "committed-by-quorum | > 0 AND                | > 0 AND stored@a < 0 AND",
        "committed-by-quorum | > 0 AND                | > 0 AND stored@a = 4 AND stored@a = 5 AND",
        "exactly-once        | again OR COUNT(payment) > COUNT(DISTINCT payment) | again AND"
            + " COUNT(payment) > 5",
        "causal-delivery     | after@n IS NOT NULL    | after@n = 'nothing'",
        "bounded-staleness   | SPREAD(v) >= 1         | SPREAD(v) >= 1 AND MIN(v) < 0",
        "answered-in-time    | TRUE THEN              | r = 0 THEN",
        "no-ping-pong        | (moved := Changed(owner)) | (moved := (MIN(owner) = 'c9'))",
        "config-agrees       | >= 2                   | >= 2 AND COUNT(v) > 99",
      })
  void rule_withAConditionThatIsNeverTrue_isVacuous(String name, String text, String mutated)
      throws IOException {
    String rule = rules(name);
    assertThat(rule).contains(text);
    RuleResult result = check(rule.replace(text, mutated), log(name, "breaks"));
    assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.VACUOUS);
  }

  /** A log in which {@code lease} never has a value, and {@code y} of b is 5 for one second. */
  private static final List<String> NO_LEASE =
      List.of(
          "{'node':'a','log':'t','hlc':'1000000.0','set':{'lease':null,'y':1}}",
          "{'node':'b','log':'t','hlc':'2000000.0','set':{'y':5}}",
          "{'node':'b','log':'t','hlc':'3000000.0','set':{'y':1}}");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COUNT(lease) = 0",
        "0 >= COUNT(lease)",
        "COUNT(lease) <= COUNT(DISTINCT lease)",
        "NOT (COUNT(lease) > 0)",
        "NOT (COUNT(lease) > 0 AND MAX(lease) > 0)",
        "COUNT n IN NODES : (lease@n = 1) < 2",
        "MAX(y) > COUNT(lease)",
        "NOT (lease@a IS NOT NULL)",
        "NOT CHANGED(lease)",
        "IF(COUNT(lease) > 0, FALSE, TRUE)",
      })
  void rule_thatCanBeBrokenWithoutValues_isNotVacuous(String part) throws IOException {
    RuleResult result = noLease("NEVER " + part + " AND y@b > 3 FOR 10s FROM t");
    assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.HOLDS);
    RuleResult broken = noLease("NEVER " + part + " AND y@b > 3 FROM t");
    assertThat(broken.outcome()).as("%s", broken).isEqualTo(Outcome.BROKEN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ALWAYS COUNT(lease) <= 1                      | COUNT(lease) >= 1",
        "NEVER COUNT(lease) > COUNT(y) / 2             | COUNT(lease) >= 1",
        "NEVER COUNT(DISTINCT lease) != 1 AND y@b > 9  | y@b > 9",
        "NEVER 1 < COUNT(DISTINCT lease)               | COUNT(lease) >= 2",
        "NEVER COUNT(DISTINCT lease) = 1               | COUNT(lease) >= 1",
        "NEVER NOT (lease@a IS NULL)                   | lease@a IS NOT NULL",
        "NEVER NOT (MAX(lease) > 1 OR MIN(lease) < 0)  | COUNT(lease) >= 1",
      })
  void rule_thatNeedsValues_isVacuousWithoutThem(String rule, String part) throws IOException {
    RuleResult result = noLease(rule + " FROM t");
    assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.VACUOUS);
    assertThat(result.reason()).endsWith(": " + part);
  }

  @Test
  void rule_withAPartThatFailsByItself_namesIt() throws IOException {
    RuleResult result = noLease("NEVER y@b != 5 AND 1 / (y@b - 5) > 9 FROM t");
    assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.HOLDS);
    assertThat(result.warnings()).contains("not counted: 1 / (y@b - 5) > 9");
  }

  private RuleResult noLease(String rule) throws IOException {
    List<String> lines = NO_LEASE.stream().map(line -> line.replace('\'', '"')).toList();
    Path log = Files.write(folder.resolve("none.ndjson"), lines);
    return check("CREATE RULE r AS (" + rule + ");", log);
  }

  /** The counts are those of the rows of SELECT, whose rows are cuts. */
  @Test
  void chances_ofRandomRules_areThoseOfSelect() throws IOException {
    Random random = new Random(SEED);
    for (int i = 0; i < 60; i++) {
      Path log = Files.write(folder.resolve("random.ndjson"), randomLog(random));
      String left = randomPredicate(random);
      String right = randomPredicate(random);
      String rule = "CREATE RULE r AS (NEVER " + left + " AND " + right + " FROM t);";
      List<Long> expected =
          List.of(
              rows(log, "SELECT TRUE FROM t WHEN " + left + " EMIT CUTS").size() * 1L,
              rows(log, "SELECT TRUE FROM t WHEN " + right + " EMIT CUTS").size() * 1L);
      // Cuts are those of the names that a query reads: each operand reads its own.
      List<Chance> operands =
          check(rule, log).chances().stream().filter(chance -> isOperand(chance)).toList();
      List<Long> counts = operands.stream().map(Chance::count).distinct().toList();
      assertThat(counts)
          .as("seed %d, run %d: %s", SEED, i, rule)
          .containsExactlyElementsOf(expected.stream().distinct().toList());
    }
  }

  private static boolean isOperand(Chance chance) {
    return chance.unit() == Unit.CUTS
        && !chance.part().contains("NULL")
        && !chance.part().contains("COUNT");
  }

  @Test
  void triggersAndElements_ofRandomLogs_areThoseOfSelect() throws IOException {
    Random random = new Random(SEED);
    for (int i = 0; i < 30; i++) {
      Path log = Files.write(folder.resolve("random.ndjson"), randomLog(random));
      String rule =
          "CREATE RULE r AS (ALWAYS x@n > 2 THEN x@n = 1 WITHIN 5ms FROM t FOR EACH NODE n);";
      String select = "SELECT n FROM t FOR EACH NODE n WHEN %s EMIT INTERVALS";
      List<Row> all = rows(log, select.formatted("TRUE OR x@n > 2 OR x@n = 1"));
      Set<Object> elements = new HashSet<>();
      all.forEach(row -> elements.add(row.values().get(row.values().size() - 1)));
      long triggers = rows(log, select.formatted("x@n > 2")).size();
      assertThat(check(rule, log).chances())
          .as("seed %d, run %d", SEED, i)
          .extracting(Chance::unit, Chance::count)
          .containsExactly(
              tuple(Unit.ELEMENTS, (long) elements.size()), tuple(Unit.TRIGGERS, triggers));
    }
  }

  @Test
  void sometimes_hasNoChances_andIsNotYetWithoutItsVariable() throws IOException {
    Path log = Files.write(folder.resolve("random.ndjson"), randomLog(new Random(SEED)));
    RuleResult result = check("CREATE RULE r AS (SOMETIMES MAX(nothing) > 0 FROM t);", log);
    assertThat(result.outcome()).isEqualTo(Outcome.NOT_YET);
    assertThat(result.warnings().get(0)).contains("unknown variable \"nothing\"");
    assertThat(result.chances()).isEmpty();
  }

  private static List<String> randomLog(Random random) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      lines.add(
          "{\"node\":\"%s\",\"log\":\"t\",\"hlc\":\"%d.0\",\"set\":{\"%s\":%d}}"
              .formatted(
                  "abc".charAt(random.nextInt(3)),
                  1_000 * (i + 1),
                  random.nextBoolean() ? "x" : "y",
                  random.nextInt(5)));
    }
    return lines;
  }

  private static String randomPredicate(Random random) {
    String variable = random.nextBoolean() ? "x" : "y";
    int value = random.nextInt(6);
    return switch (random.nextInt(3)) {
      case 0 -> "MAX(%s) > %d".formatted(variable, value);
      case 1 -> "SPREAD(%s) >= %d".formatted(variable, value);
      default -> "EXISTS n IN NODES : (%s@n = %d)".formatted(variable, value);
    };
  }

  private static List<Row> rows(Path log, String statement) {
    List<Row> rows = new ArrayList<>();
    try (LocalSession session = open(log)) {
      session.run(
          new RqlParser().read(statement),
          new RowSink() {
            @Override
            public void columns(List<Column> columns) {}

            @Override
            public boolean row(Row row) {
              return rows.add(row);
            }

            @Override
            public void warning(String message) {}
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private static LocalSession open(Path log) throws IOException {
    return NdjsonSession.open(log);
  }

  private static RuleResult check(String rules, Path log) throws IOException {
    RuleSet set = new RuleSet();
    set.add("test.rql", rules);
    assertThat(set.faults()).isEmpty();
    try (LocalSession session = open(log)) {
      return new RuleCheck(session, "", () -> 0).countingChances().check(set.rules().get(0));
    }
  }

  private static String rules(String name) throws IOException {
    return Files.readString(FOLDER.resolve(name + ".rql"));
  }

  private static Path log(String name, String kind) {
    return FOLDER.resolve(name + "-" + kind + ".ndjson");
  }
}
