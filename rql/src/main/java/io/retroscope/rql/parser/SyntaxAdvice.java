// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.rql.parser.generated.RqlLexer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/** Advice about the probable meaning of an unexpected token. */
final class SyntaxAdvice {
  /** The words with which statements begin. */
  private static final List<String> FIRST_WORDS =
      List.of(
          "SELECT",
          "SHOW",
          "DESCRIBE",
          "EXPLAIN",
          "KILL",
          "FORGET",
          "CREATE",
          "DROP",
          "ACKNOWLEDGE",
          "MUTE",
          "POSSIBLY",
          "DEFINITELY",
          "NEVER",
          "ALWAYS",
          "EVENTUALLY",
          "SOMETIMES");

  private final SourceTokens source;
  private final List<Token> tokens;
  private final int index;
  private final Token offending;
  private final IntervalSet expected;

  SyntaxAdvice(SourceTokens source, List<Token> tokens, Token offending, IntervalSet expected) {
    this.source = source;
    this.tokens = tokens;
    this.offending = offending;
    this.expected = expected;
    index = tokens.indexOf(offending);
  }

  /** Returns the first advice that applies; more specific advice comes first. */
  Optional<String> help() {
    return List.<Supplier<Optional<String>>>of(
            this::unknownStatement,
            this::secondStatement,
            this::computedNode,
            this::unquotedNode,
            this::missingNode,
            this::misplacedModality,
            this::noItems,
            this::bareDuration,
            this::computedTime,
            this::misspelledOperator,
            this::missingParentheses,
            new SqlHabits(tokens, index, expected)::help,
            this::missingAs,
            this::misplacedAs,
            this::reservedName,
            this::nearKeyword,
            this::colonAsDot,
            this::halfNumber,
            this::unclosed,
            this::unopened)
        .stream()
        .map(Supplier::get)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Returns whether a token was meant to begin a clause. */
  static boolean isMeantAsClause(Token token) {
    String word = token.getText().toUpperCase(Locale.ROOT);
    return SqlHabits.isClause(word)
        || (word.length() > 2
            && token.getType() != RqlLexer.AS
            && Spelling.nearest(word, ClauseWords.ALL).isPresent())
        || token.getType() == RqlLexer.AT
        || token.getType() == RqlLexer.ON
        || token.getType() == RqlLexer.SELECT;
  }

  private int type(int distance) {
    int at = index + distance;
    return at < 0 || at >= tokens.size() ? Token.INVALID_TYPE : tokens.get(at).getType();
  }

  private String text(int distance) {
    return tokens.get(index + distance).getText();
  }

  private Optional<String> unknownStatement() {
    if (index != 1 || type(-1) != RqlLexer.IDENTIFIER) {
      return Optional.empty();
    }
    String meant =
        Spelling.nearest(text(-1), FIRST_WORDS)
            .map(word -> "did you mean " + word + "? ")
            .orElse("");
    boolean twoWords = Character.isLetter(firstCharacter());
    if (!twoWords && (meant.isEmpty() || type(0) == Token.EOF)) {
      return Optional.empty();
    }
    return Optional.of(
        meant
            + "a statement begins with SELECT, SHOW, DESCRIBE, EXPLAIN or KILL, or is an"
            + " expression");
  }

  private Optional<String> secondStatement() {
    return type(0) == RqlLexer.SELECT && expected.contains(Token.EOF)
        ? Optional.of("a semicolon ends a statement")
        : Optional.empty();
  }

  private char firstCharacter() {
    return type(0) == Token.EOF ? ';' : text(0).charAt(0);
  }

  /** {@code SELECT r1 FROM setd WHEN POSSIBLY COUNT(r1) > 3}. */
  private Optional<String> misplacedModality() {
    return index > 1 ? Statement.Modality.advice(text(-1)) : Optional.empty();
  }

  private Optional<String> noItems() {
    if (type(0) != RqlLexer.FROM) {
      return Optional.empty();
    }
    return switch (type(-1)) {
      case RqlLexer.SELECT -> Optional.of("list the items to select, or write * for all variables");
      case RqlLexer.STREAM ->
          Optional.of(
              "list the items to select, or write * for all variables; a variable of this name must be quoted: `%s`"
                  .formatted(text(-1)));
      default -> Optional.empty();
    };
  }

  /** {@code ON TIME 5m}. */
  private Optional<String> bareDuration() {
    return type(0) == RqlLexer.DURATION && expected.contains(RqlLexer.NOW)
        ? Optional.of("write LAST " + text(0) + ", or NOW - " + text(0))
        : Optional.empty();
  }

  /** {@code ON TIME 1000 + 500}. */
  private Optional<String> computedTime() {
    boolean behindTime =
        ((type(-1) == RqlLexer.INTEGER || type(-1) == RqlLexer.HLC)
                && (type(-2) == RqlLexer.TO || type(-2) == RqlLexer.TIME))
            || type(-1) == RqlLexer.NOW;
    return behindTime && expected.contains(Token.EOF)
        ? Optional.of("a time is not computed: write the sum, an ISO-8601 string or NOW - 5m")
        : Optional.empty();
  }

  /** {@code r2@NODE(e)}. */
  private Optional<String> computedNode() {
    return type(0) == RqlLexer.LPAREN && type(-2) == RqlLexer.AT_SIGN
        ? Optional.of("a computed node is written in parentheses: @(" + text(-1) + "(...))")
        : Optional.empty();
  }

  /** {@code r1@10.0.0.1}, {@code AT NODES zk-1}, {@code r1@'zk1'}. */
  private Optional<String> unquotedNode() {
    int start = index;
    boolean continuesName = type(0) == RqlLexer.MINUS || type(0) == RqlLexer.DOT;
    if (continuesName && index > 0) {
      start = index - 1;
    }
    boolean wanted =
        start > 0
            && (tokens.get(start - 1).getType() == RqlLexer.AT_SIGN || isInNodeList(start - 1));
    if (!wanted) {
      return Optional.empty();
    }
    Token first = tokens.get(start);
    String name =
        first.getType() == RqlLexer.STRING
            ? first.getText().substring(1, first.getText().length() - 1)
            : source.hostName(first.getStartIndex());
    return name.isEmpty() || (continuesName && name.equals(first.getText()))
        ? Optional.empty()
        : Optional.of("a node's name that is not a word or number must be quoted: `" + name + "`");
  }

  /** {@code r1@ = 7}, which is what a shell leaves of a quoted name. */
  private Optional<String> missingNode() {
    return type(-1) == RqlLexer.AT_SIGN
        ? Optional.of(
            "a node's name is missing after @; in a shell's \"...\" write each backquote as \\`")
        : Optional.empty();
  }

  /** Returns whether there are only names and commas between AT NODES and the token. */
  private boolean isInNodeList(int at) {
    int i = at;
    while (i > 0 && tokens.get(i).getType() == RqlLexer.COMMA) {
      i -= 2;
    }
    return i > 0
        && tokens.get(i).getType() == RqlLexer.NODES
        && tokens.get(i - 1).getType() == RqlLexer.AT;
  }

  /** {@code ===}, {@code =<}, {@code =>}. */
  private Optional<String> misspelledOperator() {
    boolean touches =
        index > 0 && tokens.get(index - 1).getStopIndex() + 1 == offending.getStartIndex();
    if (!touches) {
      return Optional.empty();
    }
    return switch (text(-1) + text(0)) {
      case "===", "!==" -> Optional.of("write = or !=");
      case "=<" -> Optional.of("write <=");
      case "=>" -> Optional.of("write >=");
      default -> Optional.empty();
    };
  }

  private Optional<String> missingParentheses() {
    if (!expected.contains(RqlLexer.LPAREN) || expected.contains(RqlLexer.LBRACE)) {
      return Optional.empty();
    }
    if (type(-1) == RqlLexer.QUESTION) {
      return Optional.of("both branches need parentheses: condition ? (a) : (b)");
    }
    if (type(-1) == RqlLexer.COLON && isColonOfCondition()) {
      return Optional.of(
          "both branches need parentheses: condition ? (a) : (b);"
              + " a branch that does nothing is (TRUE)");
    }
    return type(-1) == RqlLexer.COLON
        ? Optional.of("the condition after the colon needs parentheses: EXISTS v IN r1 : (v > 3)")
        : Optional.empty();
  }

  /** Returns whether there is a question mark before the parentheses that end at the colon. */
  private boolean isColonOfCondition() {
    int open = 0;
    for (int i = -2; index + i > 0; i--) {
      open += type(i) == RqlLexer.RPAREN ? 1 : type(i) == RqlLexer.LPAREN ? -1 : 0;
      if (open == 0) {
        return type(i) == RqlLexer.LPAREN && type(i - 1) == RqlLexer.QUESTION;
      }
    }
    return false;
  }

  /** {@code a:b}. */
  private Optional<String> colonAsDot() {
    return type(0) == RqlLexer.COLON && type(1) == RqlLexer.IDENTIFIER
        ? Optional.of(
            "the field of one value is read with a dot: EXISTS v IN a : (v.%s = 4)"
                .formatted(text(1)))
        : Optional.empty();
  }

  private Optional<String> missingAs() {
    boolean named =
        type(0) == RqlLexer.IDENTIFIER
            || type(0) == RqlLexer.QUOTED_IDENTIFIER
            || type(0) == RqlLexer.STRING;
    boolean endsItem = type(1) == RqlLexer.FROM || type(1) == RqlLexer.COMMA;
    if (type(-1) == RqlLexer.AS && type(0) == RqlLexer.STRING) {
      return Optional.of("a column's name is quoted with backquotes");
    }
    String name =
        type(0) == RqlLexer.STRING
            ? '`' + text(0).substring(1, text(0).length() - 1) + '`'
            : text(0);
    return named && endsItem && expected.contains(RqlLexer.FROM)
        ? Optional.of("a column is named with AS: AS " + name)
        : Optional.empty();
  }

  private Optional<String> misplacedAs() {
    return type(0) == RqlLexer.AS && expected.contains(Token.EOF)
        ? Optional.of("only items between SELECT and FROM are named with AS")
        : Optional.empty();
  }

  private Optional<String> nearKeyword() {
    boolean word = offending.getText().chars().allMatch(Character::isLetter);
    if (!word || type(0) == Token.EOF || offending.getText().length() < 3) {
      return Optional.empty();
    }
    if (index == 1 && SyntaxErrors.takesMore(type(-1))) {
      return Optional.empty();
    }
    if (expected.contains(RqlLexer.IDENTIFIER) && ClauseWords.isOne(type(0))) {
      return Optional.empty(); // The word is right, and a name is missing before it.
    }
    List<String> candidates =
        expected.contains(Token.EOF) || expected.contains(RqlLexer.COMMA)
            ? ClauseWords.ALL
            : SyntaxErrors.keywords(expected);
    String written = offending.getText().toUpperCase(Locale.ROOT);
    return Spelling.nearest(written, candidates)
        .filter(keyword -> !keyword.equals(written))
        .map(keyword -> "did you mean " + keyword + "?");
  }

  private Optional<String> halfNumber() {
    return type(-1) == RqlLexer.DOT && type(-2) == RqlLexer.INTEGER
        ? Optional.of("a DOUBLE has digits after its point: " + text(-2) + ".0")
        : Optional.empty();
  }

  private Optional<String> unclosed() {
    boolean closes = expected.contains(RqlLexer.RPAREN) || expected.contains(RqlLexer.RBRACE);
    boolean ends =
        type(0) == Token.EOF
            || (ClauseWords.isOne(type(0)) && ClauseWords.mayContinue(type(0), type(1)));
    return closes && ends ? Optional.of("a parenthesis or brace is still open") : Optional.empty();
  }

  private Optional<String> unopened() {
    boolean closes = type(0) == RqlLexer.RPAREN || type(0) == RqlLexer.RBRACE;
    return closes && (expected.contains(Token.EOF) || expected.contains(RqlLexer.FROM))
        ? Optional.of("there is no open parenthesis or brace")
        : Optional.empty();
  }

  private Optional<String> reservedName() {
    String literal = RqlLexer.VOCABULARY.getLiteralName(type(0));
    boolean word = literal != null && Character.isLetter(literal.charAt(1));
    boolean begins = ClauseWords.isOne(type(0)) || type(0) == RqlLexer.AS;
    boolean meant = begins && ClauseWords.mayContinue(type(0), type(1));
    boolean wanted = expected.contains(RqlLexer.IDENTIFIER) || type(-1) == RqlLexer.LPAREN;
    return word && wanted && !meant
        ? Optional.of("as a name, a reserved word is quoted: `" + text(0) + "`")
        : Optional.empty();
  }
}
