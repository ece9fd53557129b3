// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RqlParserTest {
  private final RqlParser parser = new RqlParser();

  private Expression expression(String text) {
    return ((Statement.Evaluate) OneStatement.of(text)).expression();
  }

  @Test
  void isLive_streamThatIsNotExplained() {
    assertThat(parser.read("SELECT STREAM r1 FROM setd").isLive()).isTrue();
    assertThat(parser.read("EXPLAIN SELECT STREAM r1 FROM setd").isLive()).isFalse();
    assertThat(parser.read("EXPLAIN ANALYZE SELECT STREAM r1 FROM setd").isLive()).isFalse();
    assertThat(parser.read("SELECT STREAM r1 FROM setd LIMIT").isLive()).isFalse();
    assertThat(parser.read("SELECT r1 FROM setd").isLive()).isFalse();
    assertThat(parser.read("SHOW LOGS").isLive()).isFalse();
  }

  @Test
  void statement_stalenessQuery_hasItsParts() {
    String text =
        "SELECT STREAM r1, SPREAD(r1) AS staleness FROM setd WHEN EXISTS v1, v2 IN r1 :"
            + " (v1 - v2 >= 2) EMIT EDGES PLAY woodblock NOTE 60 + 2 * SPREAD(r1);";
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    assertThat(query.stream()).isTrue();
    assertThat(query.items())
        .extracting(Statement.SelectItem::text)
        .containsExactly("r1", "SPREAD(r1)");
    assertThat(query.emit()).contains(Statement.Emit.EDGES);
    assertThat(query.when().orElseThrow().predicate()).isInstanceOf(Expression.Quantified.class);
    assertThat(query.play().orElseThrow().instrument()).isEqualTo("woodblock");
  }

  @Test
  void statement_smallestLong_isOneLiteral() {
    assertThat(((Expression.Literal) expression("-9223372036854775808")).value())
        .isEqualTo(Value.of(Long.MIN_VALUE));
  }

  @Test
  void statement_dashDash_subtractsNegative() {
    Expression.Binary binary = (Expression.Binary) expression("a--b");
    assertThat(binary.operator()).isEqualTo(BinaryOperator.SUBTRACT);
    assertThat(binary.right()).isInstanceOf(Expression.Unary.class);
  }

  @Test
  void statement_rangeWithNegativeBound_keepsMinusAtBound() {
    Expression.Binary binary = (Expression.Binary) expression("-5..80");
    assertThat(binary.operator()).isEqualTo(BinaryOperator.RANGE);
  }

  @Test
  void statement_assignmentAsLastOperand_isAccepted() {
    String text = "SELECT sum FROM t COMPUTE GLOBAL sum AND sum := Sum(a)";
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    Expression.Binary and = (Expression.Binary) query.compute().orElseThrow();
    assertThat(and.right()).isInstanceOf(Expression.Assignment.class);
  }

  @Test
  void parseScript_severalMistakes_areAllReported() {
    assertThatThrownBy(() -> parser.parseScript("1 +; SELECT r1 x FROM t; 2 < 3 < 4"))
        .isInstanceOfSatisfying(RqlException.class, e -> assertThat(e.diagnostics()).hasSize(3));
  }

  @Test
  void statement_nestedTenThousandDeep_endsInLimitError() {
    assertThatThrownBy(() -> expression("(".repeat(10_000) + "1" + ")".repeat(10_000)))
        .isInstanceOf(RqlException.class)
        .hasMessageContaining("RQL0602");
    assertThatThrownBy(() -> expression("1" + " + 1".repeat(10_000)))
        .isInstanceOf(RqlException.class)
        .hasMessageContaining("RQL0603");
  }

  @Test
  void statement_textOfMegabyte_endsInLimitError() {
    assertThatThrownBy(() -> expression("1" + " ".repeat(1 << 20)))
        .isInstanceOf(RqlException.class)
        .hasMessageContaining("RQL0601");
  }

  @Test
  void parseScript_semicolonInsideStringAndComment_endsNothing() {
    assertThat(parser.parseScript("'a;b'; 1 /* ; */ + 2 -- ;\n; # ;")).hasSize(2);
  }

  @Test
  void parseScript_nothing_isEmpty() {
    assertThat(parser.parseScript(" -- nothing here")).isEmpty();
  }

  @Test
  void statement_itemWithoutAlias_keepsTextOnOneLine() {
    Statement.Query query =
        (Statement.Query)
            OneStatement.of("SELECT Max( r1 )/* m */+\n  1, a--/**/b, 'x\ty' FROM setd");
    assertThat(query.items())
        .extracting(Statement.SelectItem::text)
        .containsExactly("Max( r1 ) + 1", "a--b", "'x\ty'");
  }

  @Test
  void statement_conditionalBehindAssignment_belongsToItsValue() {
    String text = "SELECT x FROM t COMPUTE VAR x AND x := a@1 > 2 ? (1) : (2)";
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    Expression.Binary and = (Expression.Binary) query.compute().orElseThrow();
    Expression.Assignment assignment = (Expression.Assignment) and.right();
    assertThat(assignment.value()).isInstanceOf(Expression.Conditional.class);
    assertThat(text.substring(and.range().start(), and.range().end()))
        .isEqualTo("VAR x AND x := a@1 > 2 ? (1) : (2)");
  }

  /** Texts whose part after the first | is repeated. */
  static List<String> patterns() {
    return List.of(
        "x := 1| ? (1) : (2)|",
        "1 IN {1|, 2|}",
        "SELECT a|, a + 1 AS b| FROM t",
        "1| + 2|",
        "TRUE| AND x := 1|",
        "f(1|, f(1)|)",
        "1|; 1|",
        "SELECT a FROM t| WHEN TRUE|",
        "'|a''\\'|'",
        "a|.a@b|",
        "(|(|1",
        "EXISTS a IN r : |(EXISTS b IN r : |(TRUE",
        "NOT |NOT |TRUE",
        "1| < 1|",
        "|'|",
        "|😀|",
        "|/*|",
        "|/**|",
        "|/* */|1",
        "|\" ' |",
        "|` |",
        "|hlc'|");
  }

  /** Half as long as allowed: the slowest of them take a quarter of the time. */
  @ParameterizedTest
  @MethodSource("patterns")
  @Timeout(120)
  void parseScript_longTexts_endSoon(String pattern) {
    parse(pattern, ParseLimits.DEFAULT.maxCharacters() / 2);
  }

  @ParameterizedTest
  @MethodSource("patterns")
  @Tag("slow")
  @Timeout(120)
  void parseScript_longestTexts_endSoon(String pattern) {
    parse(pattern, ParseLimits.DEFAULT.maxCharacters());
  }

  private void parse(String pattern, int characters) {
    String[] parts = pattern.split("\\|", -1);
    int count = (characters - 50) / Math.max(1, parts[1].length());
    String text =
        parts[0]
            + parts[1].repeat(count)
            + String.join("", List.of(parts).subList(2, parts.length));
    try {
      assertThat(parser.parseScript(text)).isNotEmpty();
    } catch (RqlException e) {
      assertThat(e.diagnostics()).hasSizeBetween(1, RqlException.MAX_DIAGNOSTICS);
    }
  }
}
