// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.OneStatement;
import io.retroscope.rql.parser.RqlParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RqlFormatterTest {
  private static final RqlParser PARSER = new RqlParser();

  @Test
  void format_generatedStatements_parseToTheSameTree() {
    printAndParse(2_500);
  }

  @Test
  @Tag("slow")
  void format_manyGeneratedStatements_parseToTheSameTree() {
    printAndParse(500_000);
  }

  private static void printAndParse(int count) {
    long firstSeed = Long.getLong("rql.seed", 1);
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      Statement statement = new RandomStatements(seed).next();
      String text = RqlFormatter.format(statement);
      assertThat(shape(parse(text, seed)))
          .as("-Drql.seed=%d: %s", seed, text)
          .isEqualTo(shape(statement));
    }
  }

  private static Statement parse(String text, long seed) {
    try {
      return OneStatement.of(text);
    } catch (RqlException e) {
      throw new AssertionError("-Drql.seed=" + seed + "\n" + DiagnosticPrinter.print(e), e);
    }
  }

  /** Returns the tree without its places in the text. */
  private static String shape(Statement statement) {
    return statement.toString().replaceAll("SourceRange\\[start=\\d+, end=\\d+]", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      quoteCharacter = '§',
      value = {
        "a and b||c -> a AND b OR c",
        "(a or b) and c -> (a OR b) AND c",
        "not (a = 1) -> NOT a = 1",
        "(not a) = b -> (NOT a) = b",
        "a--1 -> a - -1",
        "a notin {1,2} -> a NOT IN {1, 2}",
        "a == b -> a = b",
        "-(5) -> -(5)",
        "1500ms -> 1500ms",
        "3600s -> 1h",
        "(x ? (1) : (2)) ? (3):(4) -> (x ? (1) : (2)) ? (3) : (4)",
        "COUNT n in nodes:(r@n>1) >=2 -> COUNT n IN NODES : (r@n > 1) >= 2",
        "r1 @ (NODE(e)) -> r1@(NODE(e))",
        "\"it's\" -> 'it''s'",
      })
  void format_expression_hasParenthesesOnlyWhereNeeded(String written, String printed) {
    assertThat(RqlFormatter.format(OneStatement.of(written))).isEqualTo(printed.strip());
  }

  /** In the order of the reference. */
  private static final List<String> CLAUSES =
      List.of(
          " FOR EACH VARIABLE v LIKE 'r%'",
          " COMPUTE GLOBAL x AND (x := Coalesce(x, 0) + 1)",
          " WHEN SPREAD(v) > 2 FOR 5ms",
          " AT NODES a, b",
          " ON TIME hlc'1.0' TO NOW",
          " EMIT INTERVALS",
          " LIMIT 3",
          " ON ERROR SKIP",
          " PLAY 'harp' NOTE SPREAD(v)");

  @Test
  void format_clausesShuffled_printTheSame() {
    String inOrder = "SELECT x FROM log" + String.join("", CLAUSES);
    assertThat(RqlFormatter.format(OneStatement.of(inOrder))).isEqualTo(inOrder);
    for (long seed = 1; seed <= 1_000; seed++) {
      List<String> shuffled = new ArrayList<>(CLAUSES);
      Collections.shuffle(shuffled, new Random(seed));
      String text = "SELECT x FROM log" + String.join("", shuffled);
      assertThat(RqlFormatter.format(OneStatement.of(text)))
          .as("seed %d: %s", seed, text)
          .isEqualTo(inOrder);
    }
  }

  @Test
  void parse_anyClauseTwice_isRefused() {
    for (String clause : CLAUSES) {
      String text = "SELECT x FROM log" + clause + clause;
      assertThat(PARSER.read(text).problems())
          .as(text)
          .first()
          .satisfies(problem -> assertThat(problem.code()).isEqualTo("RQL0107"));
    }
  }

  @Test
  void format_clausesInAnyOrder_printInTheOrderOfTheReference() {
    String written =
        "select stream a, max( a ) as m from log play harp length 5ms note 60 limit 3 emit edges"
            + " on error skip on time '2026-11-21T10:00:00Z' at live nodes when a@1 > 2 for 5ms"
            + " compute var x for each variable v like 'r%'";
    assertThat(RqlFormatter.format(OneStatement.of(written)))
        .isEqualTo(
            "SELECT STREAM a, max( a ) AS m FROM log FOR EACH VARIABLE v LIKE 'r%' COMPUTE VAR x"
                + " WHEN a@1 > 2 FOR 5ms AT LIVE NODES ON TIME '2026-11-21T10:00:00Z' EMIT EDGES"
                + " LIMIT 3 ON ERROR SKIP PLAY 'harp' NOTE 60 LENGTH 5ms");
  }
}
