// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.generated.RqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that exactly the words in the reference are reserved; every other word is a name
 * everywhere.
 */
class ReservedWordsTest {
  private static final io.retroscope.rql.parser.RqlParser PARSER =
      new io.retroscope.rql.parser.RqlParser();

  /** Places for a name, marked by {@code %s}. */
  private static final List<String> PLACES =
      List.of(
          "SELECT x FROM %s",
          "SELECT x FROM t WHEN EXISTS %1$s IN x : (%1$s = 2)",
          "SELECT x FROM t COMPUTE VAR %1$s AND %1$s := 4 WHEN %1$s > 3",
          "SELECT x FROM t FOR EACH VARIABLE %1$s LIKE 'x' WHEN COUNT(%1$s) = 1",
          "SELECT x FROM t PLAY %1$s NOTE SUM(%1$s) VELOCITY %1$s@a LENGTH 1s",
          "SELECT x FROM t PLAY %1$s EACH %1$s IN NODES : (x@%1$s > 1) LEVEL x@%1$s STEPS {2, 3}"
              + " SCALE minor PLACE %1$s EVERY 1s",
          "SELECT x FROM t PLAY %1$s AS BACKGROUND FOLLOW SUM(%1$s) RANGE 0 TO -8.5",
          "SELECT x FROM t PLAY %1$s PAN SUM(%1$s) SCALE major",
          "SHOW VARIABLES FROM %s",
          "DESCRIBE %s");

  /** Places in which the parser recognizes that a name was meant. */
  private static final List<String> CLEAR_PLACES =
      List.of(
          "SELECT x FROM %s",
          "SELECT x FROM t WHEN EXISTS %s IN x : (x@a = 2)", "SELECT x FROM t COMPUTE VAR %s");

  private static final List<String> NAMES_ONLY =
      List.of(
          "SELECT x AS %s FROM t",
          "SELECT x.%1$s, t.%1$s.%1$s FROM t", "SELECT x@%1$s FROM t AT NODES %1$s, b");

  static Stream<String> reserved() {
    return words(true);
  }

  static Stream<String> others() {
    return Stream.concat(words(false), Stream.of("sum", "name", "struct", "hlc", "sound"));
  }

  private static Stream<String> words(boolean reserved) {
    IntervalSet types =
        RqlParser._ATN.nextTokens(RqlParser._ATN.ruleToStartState[RqlParser.RULE_reserved]);
    List<String> words = new ArrayList<>();
    for (int type = 1; type <= RqlParser.VOCABULARY.getMaxTokenType(); type++) {
      String literal = RqlParser.VOCABULARY.getLiteralName(type);
      if (literal != null
          && Character.isLetter(literal.charAt(1))
          && types.contains(type) == reserved) {
        words.add(literal.substring(1, literal.length() - 1));
      }
    }
    return words.stream();
  }

  @ParameterizedTest
  @MethodSource("reserved")
  void name_thatIsReserved_isRefused(String word) {
    for (String place : PLACES) {
      assertThatThrownBy(() -> parse(place, word))
          .as(place.formatted(word))
          .isInstanceOfSatisfying(
              RqlException.class,
              e -> assertThat(e.diagnostics().get(0).code()).isEqualTo("RQL0101"));
    }
  }

  @ParameterizedTest
  @MethodSource("reserved")
  void name_thatIsReserved_isOneMistakeWithHelp(String word) {
    for (String place : CLEAR_PLACES) {
      String text = place.formatted(word);
      assertThat(PARSER.read(text).problems())
          .as(text)
          .singleElement()
          .satisfies(
              problem ->
                  assertThat(problem.help())
                      .hasValue("as a name, a reserved word is quoted: `" + word + "`"));
    }
  }

  @ParameterizedTest
  @MethodSource("reserved")
  void name_thatIsReserved_isAcceptedInQuotesAndBehindAsDotAndAt(String word) {
    PLACES.forEach(place -> parse(place, '`' + word + '`'));
    NAMES_ONLY.forEach(place -> parse(place, word));
  }

  @ParameterizedTest
  @MethodSource("others")
  void name_thatIsAnyOtherWord_isAcceptedEverywhere(String word) {
    PLACES.forEach(place -> parse(place, word));
    NAMES_ONLY.forEach(place -> parse(place, word));
    parse("SELECT x, %1$s AS y FROM t WHEN SUM(%1$s) > 1 FOR 5ms AT LIVE NODES", word);
  }

  private static void parse(String place, String word) {
    OneStatement.of(place.formatted(word));
  }
}
