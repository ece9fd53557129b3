// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.parser.generated.RqlLexer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.Vocabulary;
import org.antlr.v4.runtime.misc.IntervalSet;

/** The messages for ANTLR's errors in one statement. */
final class SyntaxErrors {
  private static final String END = "the end of the statement";

  private final SourceTokens source;
  private final List<Token> tokens;

  SyntaxErrors(SourceTokens source, List<Token> tokens) {
    this.source = source;
    this.tokens = tokens;
  }

  Diagnostic translate(RecognitionException error) {
    Token offending = error.getOffendingToken();
    IntervalSet expected = error.getExpectedTokens();
    Diagnostic problem =
        ErrorCode.UNEXPECTED.at(
            source.range(offending), found(offending), expectation(offending, expected));
    return new SyntaxAdvice(source, tokens, offending, expected)
        .help()
        .map(problem::withHelp)
        .orElse(problem);
  }

  /**
   * Returns whether the text before the token ends in an expression, which an operator may
   * continue.
   */
  private boolean endsInExpression(int index) {
    int clause = index - 1;
    while (clause > 0 && !ClauseWords.isOne(tokens.get(clause).getType())) {
      clause--;
    }
    return switch (tokens.get(clause).getType()) {
      case RqlLexer.COMPUTE, RqlLexer.WHEN, RqlLexer.PLAY -> true;
      default -> false;
    };
  }

  private static String found(Token token) {
    return token.getType() == Token.EOF
        ? "end of the statement"
        : LexicalAdvice.quote(token.getText());
  }

  private String expectation(Token offending, IntervalSet expected) {
    if (tokens.indexOf(offending) == 1 && takesMore(tokens.get(0).getType())) {
      return continuation(tokens.get(0).getType());
    }
    if (expected.contains(Token.EOF)) {
      if (takesMore(tokens.get(0).getType()) && !isQuery()) {
        return join(Stream.concat(keywords(expected).stream(), Stream.of(END)).toList());
      }
      if (!isQuery()) {
        return "an operator or " + END;
      }
      return endsInExpression(tokens.indexOf(offending))
          ? "a clause, an operator or " + END
          : "a clause or " + END;
    }
    Set<String> words = new LinkedHashSet<>();
    IntervalSet rest = expected;
    if (expected.contains(RqlLexer.LBRACE)) {
      words.add("an expression");
      rest = rest.subtract(ClauseWords.EXPRESSION_STARTS);
    } else if (expected.contains(RqlLexer.IDENTIFIER)) {
      words.add("a name");
      rest = rest.subtract(words(expected));
    }
    for (int type : rest.toArray()) {
      words.add(word(type));
    }
    return join(new ArrayList<>(words));
  }

  /** Returns whether a statement may begin with the word, which is not useful as an expression. */
  static boolean takesMore(int type) {
    return type == RqlLexer.SHOW
        || type == RqlLexer.DESCRIBE
        || type == RqlLexer.EXPLAIN
        || type == RqlLexer.FORGET
        || type == RqlLexer.CREATE
        || type == RqlLexer.DROP
        || type == RqlLexer.ACKNOWLEDGE
        || type == RqlLexer.MUTE
        || type == RqlLexer.KILL;
  }

  private static String continuation(int type) {
    return switch (type) {
      case RqlLexer.SHOW -> "LOGS, NODES, VARIABLES, ALIGNMENT, QUERIES or ALERTS";
      case RqlLexer.KILL -> "QUERY and its number";
      case RqlLexer.CREATE -> "RULE or ALERT, and its name";
      case RqlLexer.DESCRIBE -> "the name of a log";
      case RqlLexer.DROP, RqlLexer.ACKNOWLEDGE, RqlLexer.MUTE -> "ALERT and its name";
      case RqlLexer.FORGET -> "NODE";
      default -> "SELECT, ANALYZE, CUT or EPISODE";
    };
  }

  /** Returns the error of a statement that is one word and needs more. */
  Diagnostic incomplete() {
    return ErrorCode.UNEXPECTED.at(
        source.range(tokens.get(1)), found(tokens.get(1)), continuation(tokens.get(0).getType()));
  }

  /** Returns the keywords of the set. */
  static List<String> keywords(IntervalSet set) {
    return words(set).toList().stream()
        .map(RqlLexer.VOCABULARY::getLiteralName)
        .filter(Objects::nonNull)
        .map(literal -> literal.substring(1, literal.length() - 1))
        .toList();
  }

  private boolean isQuery() {
    int first = tokens.get(0).getType();
    return first == RqlLexer.SELECT || first == RqlLexer.EXPLAIN;
  }

  private static String word(int type) {
    Vocabulary vocabulary = RqlLexer.VOCABULARY;
    return switch (type) {
      case RqlLexer.INTEGER -> "a whole number";
      case RqlLexer.DOUBLE -> "a number";
      case RqlLexer.DURATION -> "a duration such as 5ms";
      case RqlLexer.STRING -> "a string";
      case RqlLexer.HLC -> "an HLC timestamp";
      case RqlLexer.QUOTED_IDENTIFIER -> "a quoted name";
      default -> {
        String literal = vocabulary.getLiteralName(type);
        String bare = literal.substring(1, literal.length() - 1);
        yield Character.isLetter(bare.charAt(0)) ? bare : '"' + bare + '"';
      }
    };
  }

  private static String join(List<String> words) {
    int last = words.size() - 1;
    return last <= 0
        ? String.join("", words)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /** Returns the names and words of the set. */
  private static IntervalSet words(IntervalSet set) {
    IntervalSet words = new IntervalSet();
    for (int type : set.toArray()) {
      String literal = RqlLexer.VOCABULARY.getLiteralName(type);
      boolean named = type == RqlLexer.IDENTIFIER || type == RqlLexer.QUOTED_IDENTIFIER;
      if (named || (literal != null && Character.isLetter(literal.charAt(1)))) {
        words.add(type);
      }
    }
    return words;
  }
}
