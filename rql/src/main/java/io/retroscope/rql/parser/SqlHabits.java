// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.parser.generated.RqlLexer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/** Advice for the syntax of SQL and of the published RQL that differs from this RQL. */
final class SqlHabits {
  /** Longer words are misspelled clauses rather than other names of a log. */
  private static final int MAX_ALIAS = 3;

  /** What may follow NOT where an operator is expected. */
  private static final Set<Integer> AFTER_OPERAND =
      Set.of(RqlLexer.IN, RqlLexer.THEN, RqlLexer.AFTER);

  private static final Set<Integer> COMPARISONS = Set.of(RqlLexer.LIKE, RqlLexer.CONTAINS);

  private static final String CASE = "write condition ? (a) : (b)";

  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("WHERE", "conditions are written WHEN"),
          Map.entry(
              "HAVING",
              "conditions on cuts are written WHEN; those on groups, WHERE around another query: SELECT * FROM (SELECT ... GROUP BY ...) WHERE n > 3"),
          Map.entry("IF", "conditions are written WHEN"),
          Map.entry(
              "GROUP",
              "rows are grouped by an outer query: SELECT ..., COUNT(*) FROM (SELECT ...) GROUP BY ...; aggregates such as MAX(r1) join the nodes of a cut"),
          Map.entry(
              "ORDER",
              "rows are sorted by an outer query: SELECT * FROM (SELECT ...) ORDER BY ...; without it they are in the order of their HLC stamps"),
          Map.entry("JOIN", "several logs are written FROM a, b"),
          Map.entry("BETWEEN", "write a IN 1..10"),
          Map.entry("XOR", "of two BOOLEANs, write a != b"),
          Map.entry("CASE", CASE),
          Map.entry("THEN", CASE),
          Map.entry("ELSE", CASE),
          Map.entry("OFFSET", "rows are not skipped; begin later with ON TIME p TO NOW"),
          Map.entry("SINCE", "write ON TIME p TO NOW, or ON TIME LAST 5m"),
          Map.entry("BEFORE", "write ON TIME p TO q"),
          Map.entry("AFTER", "write ON TIME p TO q"),
          Map.entry("LINK", "of one node at a time: EXISTS n IN NODES : (a@n > b@n)"),
          Map.entry("FA_LINK", "of every node: FORALL n IN NODES : (a@n > b@n)"));

  /** The words of these that begin a clause. */
  private static final Set<String> CLAUSES =
      Set.of(
          "WHERE", "HAVING", "GROUP", "ORDER", "JOIN", "SINCE", "BEFORE", "AFTER", "LINK",
          "FA_LINK");

  /** Words and abbreviations of units, and the unit as it is written after a number. */
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("us", "us"),
          Map.entry("microseconds", "us"),
          Map.entry("ms", "ms"),
          Map.entry("milliseconds", "ms"),
          Map.entry("s", "s"),
          Map.entry("sec", "s"),
          Map.entry("second", "s"),
          Map.entry("seconds", "s"),
          Map.entry("m", "m"),
          Map.entry("min", "m"),
          Map.entry("minute", "m"),
          Map.entry("minutes", "m"),
          Map.entry("h", "h"),
          Map.entry("hour", "h"),
          Map.entry("hours", "h"),
          Map.entry("d", "d"),
          Map.entry("day", "d"),
          Map.entry("days", "d"));

  private final List<Token> tokens;
  private final int index;
  private final IntervalSet expected;

  SqlHabits(List<Token> tokens, int index, IntervalSet expected) {
    this.tokens = tokens;
    this.index = index;
    this.expected = expected;
  }

  /** Returns whether the word begins a clause in SQL or the published RQL. */
  static boolean isClause(String word) {
    return CLAUSES.contains(word.toUpperCase(Locale.ROOT));
  }

  /** Returns the first advice that applies. */
  Optional<String> help() {
    return List.<Supplier<Optional<String>>>of(
            this::distinctRows,
            this::listInParentheses,
            this::quantifierWithoutColon,
            this::misplacedNot,
            this::bareNumber,
            this::barePattern,
            this::logInParentheses,
            this::allLogs,
            this::tables,
            this::lastWithoutTime,
            this::word,
            this::alias)
        .stream()
        .map(Supplier::get)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private int type(int distance) {
    int at = index + distance;
    return at < 0 || at >= tokens.size() ? Token.INVALID_TYPE : tokens.get(at).getType();
  }

  private String text(int distance) {
    return tokens.get(index + distance).getText();
  }

  private static Optional<String> when(boolean fits, String advice) {
    return fits ? Optional.of(advice) : Optional.empty();
  }

  /** {@code SELECT DISTINCT r1}. */
  private Optional<String> distinctRows() {
    return when(
        type(0) == RqlLexer.DISTINCT && ClauseWords.EXPRESSION_STARTS.contains(type(1)),
        "every row is a separate cut; COUNT(DISTINCT r1) counts the values that differ");
  }

  /** {@code r1@zk1 IN (1, 2)}. */
  private Optional<String> listInParentheses() {
    if (type(0) != RqlLexer.COMMA || !expected.contains(RqlLexer.RPAREN)) {
      return Optional.empty();
    }
    int depth = 0;
    int at = -1;
    for (; depth >= 0 && index + at > 0; at--) {
      depth += type(at) == RqlLexer.RPAREN ? 1 : type(at) == RqlLexer.LPAREN ? -1 : 0;
    }
    return when(
        type(at) == RqlLexer.IN || type(at) == RqlLexer.NOTIN,
        "sets are written in braces: {1, 2}");
  }

  /** {@code EXISTS v IN r1 (v > 3)}. */
  private Optional<String> quantifierWithoutColon() {
    boolean conditional = tokens.stream().anyMatch(t -> t.getType() == RqlLexer.QUESTION);
    return when(
        expected.contains(RqlLexer.COLON) && !conditional,
        "a quantifier is written EXISTS v IN r1 : (v > 3)");
  }

  /** {@code a NOT LIKE b}. */
  private Optional<String> misplacedNot() {
    boolean behindNot =
        type(-1) == RqlLexer.NOT
            && AFTER_OPERAND.containsAll(expected.toSet())
            && expected.size() > 0;
    boolean atNot = type(0) == RqlLexer.NOT && COMPARISONS.contains(type(1));
    String help = "NOT comes before the whole comparison: NOT (a %s b)";
    return behindNot || atNot
        ? Optional.of(help.formatted(behindNot ? text(0) : text(1)))
        : Optional.empty();
  }

  /** {@code FOR 5 ms}. */
  private Optional<String> bareNumber() {
    boolean wanted = type(0) == RqlLexer.INTEGER && expected.contains(RqlLexer.DURATION);
    if (!wanted) {
      return Optional.empty();
    }
    String next = type(1) == Token.INVALID_TYPE ? "" : text(1).toLowerCase(Locale.ROOT);
    return Optional.of(
        "a duration has its unit directly after the number: "
            + text(0)
            + UNITS.getOrDefault(next, "ms"));
  }

  /** {@code FROM (setd)}. */
  private Optional<String> logInParentheses() {
    return when(
        type(-1) == RqlLexer.LPAREN && type(-2) == RqlLexer.FROM,
        "FROM takes the names of logs without parentheses, or a query in parentheses");
  }

  /** {@code FROM *}. */
  private Optional<String> allLogs() {
    return when(
        type(0) == RqlLexer.STAR && type(-1) == RqlLexer.FROM,
        "FROM takes the names of logs: SHOW LOGS; lists them");
  }

  /** {@code FROM setd s}. */
  private Optional<String> alias() {
    boolean beginsLog = type(-2) == RqlLexer.FROM || type(-2) == RqlLexer.COMMA;
    return when(
        type(0) == RqlLexer.IDENTIFIER
            && type(-1) == RqlLexer.IDENTIFIER
            && beginsLog
            && text(0).length() <= MAX_ALIAS,
        "a log has no other name in a query; its variables are written %s.x, or x"
            .formatted(index > 0 ? text(-1) : ""));
  }

  /** {@code SHOW TABLES}. */
  private Optional<String> tables() {
    return when(
        type(-1) == RqlLexer.SHOW && type(0) == RqlLexer.IDENTIFIER,
        "SHOW LOGS; lists the logs, and DESCRIBE setd; the variables of one");
  }

  /** {@code FROM setd LAST 5m}. */
  private Optional<String> lastWithoutTime() {
    return when(
        type(0) == RqlLexer.LAST && type(1) == RqlLexer.DURATION,
        "write ON TIME LAST " + (index + 1 < tokens.size() ? text(1) : ""));
  }

  /** {@code LIKE r%}. */
  private Optional<String> barePattern() {
    return when(
        type(-1) == RqlLexer.LIKE && expected.contains(RqlLexer.STRING) && expected.size() == 1,
        "a pattern is written in quotes: LIKE 'r%'");
  }

  /** Whether it is a word that begins no clause of a query over logs. */
  private static boolean isWord(int type) {
    return switch (type) {
      case RqlLexer.IDENTIFIER, RqlLexer.WHERE, RqlLexer.GROUP, RqlLexer.ORDER -> true;
      default -> false;
    };
  }

  private Optional<String> word() {
    boolean behindCase = type(-1) == RqlLexer.IDENTIFIER && text(-1).equalsIgnoreCase("CASE");
    if (behindCase) {
      return Optional.of(CASE);
    }
    return isWord(type(0))
        ? Optional.ofNullable(WORDS.get(text(0).toUpperCase(Locale.ROOT)))
        : Optional.empty();
  }
}
