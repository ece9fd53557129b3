// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.antlr.v4.runtime.Token;

/**
 * A token of a text that may not be valid RQL, for highlighting, completion and splitting.
 *
 * @param text as written
 */
public record RqlToken(Kind kind, String text, SourceRange range) {
  /** The kind of a token. */
  public enum Kind {
    /** A word of the language, reserved or not. */
    KEYWORD,
    /** Any other word. */
    NAME,
    /** A name in backquotes. */
    QUOTED_NAME,
    /** A string. */
    STRING,
    /** A number, a duration or an HLC literal. */
    NUMBER,
    /** A comment. */
    COMMENT,
    /** The end of a statement. */
    SEMICOLON,
    /** Any other character. */
    SYMBOL,
    /** A string, a quoted name or a comment that continues to the end of the text. */
    UNTERMINATED
  }

  /** Returns the tokens of a text without whitespace, in order. Never fails. */
  public static List<RqlToken> of(String text) {
    List<RqlToken> tokens = new ArrayList<>();
    for (Token token : SourceTokens.allTokens(text)) {
      if (token.getType() == RqlLexer.BLANK) {
        continue;
      }
      SourceRange range = new SourceRange(token.getStartIndex(), token.getStopIndex() + 1);
      tokens.add(new RqlToken(kind(token.getType()), token.getText(), range));
    }
    return tokens;
  }

  /** The words of the language that are names only in backquotes, in capitals. */
  public static List<String> reservedWords() {
    return RqlParser._ATN
        .nextTokens(RqlParser._ATN.ruleToStartState[RqlParser.RULE_reserved])
        .toList()
        .stream()
        .map(RqlToken::word)
        .sorted()
        .toList();
  }

  /** The words that begin a source or a clause of a query, in capitals. */
  public static List<String> clauseWords() {
    return ClauseWords.CLAUSES;
  }

  /** All words of the language, in capitals, reserved or not. */
  public static List<String> words() {
    return IntStream.rangeClosed(1, RqlLexer.VOCABULARY.getMaxTokenType())
        .filter(RqlToken::isWord)
        .mapToObj(RqlToken::word)
        .distinct()
        .sorted()
        .toList();
  }

  private static boolean isWord(int type) {
    return word(type).matches("[A-Z_]+");
  }

  static String word(int type) {
    String literal = RqlLexer.VOCABULARY.getLiteralName(type);
    return literal == null ? "" : literal.substring(1, literal.length() - 1);
  }

  private static Kind kind(int type) {
    return switch (type) {
      case RqlLexer.IDENTIFIER -> Kind.NAME;
      case RqlLexer.QUOTED_IDENTIFIER -> Kind.QUOTED_NAME;
      case RqlLexer.STRING -> Kind.STRING;
      case RqlLexer.INTEGER,
          RqlLexer.DOUBLE,
          RqlLexer.DURATION,
          RqlLexer.HLC,
          RqlLexer.MALFORMED_NUMBER ->
          Kind.NUMBER;
      case RqlLexer.LINE_COMMENT, RqlLexer.BLOCK_COMMENT -> Kind.COMMENT;
      case RqlLexer.SEMICOLON -> Kind.SEMICOLON;
      case RqlLexer.UNTERMINATED_STRING,
          RqlLexer.UNTERMINATED_IDENTIFIER,
          RqlLexer.UNTERMINATED_COMMENT ->
          Kind.UNTERMINATED;
      default -> isWord(type) ? Kind.KEYWORD : Kind.SYMBOL;
    };
  }
}
