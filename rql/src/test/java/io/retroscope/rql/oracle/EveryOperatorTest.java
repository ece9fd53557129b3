// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.oracle.OracleTest.Result;
import io.retroscope.rql.parser.OneStatement;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the engine with the oracle for each operator between operands of its kind. */
class EveryOperatorTest {
  private static final List<String> NUMBERS =
      List.of("a@n1", "a@n2", "d@n1", "d@n2", "c@n1", "MAX(a)", "MIN(d)", "2", "-3", "0.5", "NULL");
  private static final List<String> VALUES =
      List.of("a@n1", "d@n2", "s@n1", "s@n2", "c@n1", "c@n2", "1", "1.0", "'x'");
  private static final List<String> TRUTHS =
      List.of("b@n1", "b@n2", "c@n1", "a@n1 > 2", "s@n2 = 'x'", "NULL");
  private static final List<String> SETS =
      List.of("a", "d", "s", "{1, 2}", "{0.5, 1}", "{'x', 'z'}", "{}");
  private static final List<String> TEXTS = List.of("s@n1", "s@n2", "'text 3'");
  private static final List<String> PATTERNS = List.of("'x'", "'_'", "'t%'", "'%'");
  private static final List<String> WHOLE = List.of("0", "1", "3", "COUNT(a)");

  @ParameterizedTest
  @EnumSource
  void rows_ofEachOperator_areTheOraclesRows(BinaryOperator operator) {
    compare(operator, 4);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("slow")
  void rows_ofManyQueriesOfEachOperator_areTheOraclesRows(BinaryOperator operator) {
    compare(operator, 400);
  }

  private static void compare(BinaryOperator operator, int answers) {
    int answered = 0;
    for (long seed = 0; answered < answers; seed++) {
      assertThat(seed).as("cases for %d answers", answers).isLessThan(20L * answers);
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      answered += isAnswered(RulesOfTypesTest.events(random), query(operator, random)) ? 1 : 0;
    }
  }

  /**
   * Compares the answers of a query, unless the analyzer refuses it; returns whether it has rows.
   */
  private static boolean isAnswered(List<Event> events, String text) {
    QueryEngine engine = OracleTest.engine(events);
    Result result = new Result(text);
    Optional<String> error = Optional.empty();
    try {
      engine.prepare(text);
    } catch (RqlException e) {
      return false;
    }
    try {
      engine.run(engine.prepare(text), result);
    } catch (RqlException e) {
      error = Optional.of(e.diagnostics().get(0).message());
    }
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    NaiveQuery.Answer expected = NaiveQuery.answer(events, query, OracleTest.IDLE_MICROS);
    assertThat(OracleTest.printed(result.rows(), true))
        .as("%s%nover %s", text, events)
        .isEqualTo(OracleTest.printed(expected.rows(), true));
    assertThat(error.isPresent())
        .as("%s%nover %s%n%s", text, events, error)
        .isEqualTo(expected.error() != null);
    return !result.rows().isEmpty();
  }

  private static String query(BinaryOperator operator, Random random) {
    String whole =
        "(%s %s %s)"
            .formatted(
                pick(left(operator.kind()), random),
                operator.symbol(),
                pick(right(operator.kind()), random));
    String emit = pick(List.of("", " EMIT INTERVALS", " EMIT EDGES"), random);
    String skip = random.nextInt(4) > 0 ? " ON ERROR SKIP;" : ";";
    return "SELECT a, %s AS x FROM t WHEN %s%s%s"
        .formatted(whole, condition(operator.kind(), whole, random), emit, skip);
  }

  private static List<String> left(OperatorKind kind) {
    return switch (kind) {
      case JUNCTION -> TRUTHS;
      case EQUALITY, MEMBERSHIP -> VALUES;
      case ORDER, SUM, PRODUCT -> NUMBERS;
      case INCLUSION, SETS -> SETS;
      case LIKENESS, CONTAINMENT -> TEXTS;
      case RANGE -> WHOLE;
    };
  }

  private static List<String> right(OperatorKind kind) {
    return switch (kind) {
      case LIKENESS -> PATTERNS;
      case CONTAINMENT -> TEXTS;
      case MEMBERSHIP -> SETS;
      case JUNCTION, EQUALITY, ORDER, SUM, PRODUCT, INCLUSION, SETS, RANGE -> left(kind);
    };
  }

  /** A condition that the operator's value fulfils in some cuts. */
  private static String condition(OperatorKind kind, String whole, Random random) {
    return switch (kind) {
      case JUNCTION, EQUALITY, ORDER, MEMBERSHIP, INCLUSION, LIKENESS, CONTAINMENT -> whole;
      case SUM, PRODUCT ->
          whole + pick(List.of(" > ", " <= ", " != "), random) + pick(NUMBERS, random);
      case SETS, RANGE -> "Cardinality(%s) > %d".formatted(whole, random.nextInt(3));
    };
  }

  private static String pick(List<String> some, Random random) {
    return some.get(random.nextInt(some.size()));
  }
}
