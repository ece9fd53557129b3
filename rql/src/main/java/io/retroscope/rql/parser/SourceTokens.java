// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.CodePointBuffer;
import org.antlr.v4.runtime.CodePointCharStream;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;

/** The tokens of a text and their positions. */
final class SourceTokens {
  private final String text;
  private final List<Token> visible;

  private SourceTokens(String text, List<Token> visible) {
    this.text = text;
    this.visible = visible;
  }

  static SourceTokens of(String text) {
    return new SourceTokens(
        text, allTokens(text).stream().filter(t -> t.getChannel() == 0).toList());
  }

  /** Returns every token of the text, including comments and whitespace. */
  static List<Token> allTokens(String text) {
    RqlLexer lexer = new RqlLexer(utf16(text));
    lexer.removeErrorListeners();
    return List.copyOf(lexer.getAllTokens());
  }

  /**
   * Returns a stream whose positions are indexes of the string. ANTLR's own stream counts code
   * points.
   */
  private static CharStream utf16(String text) {
    return CodePointCharStream.fromBuffer(
        CodePointBuffer.withChars(CharBuffer.wrap(text.toCharArray())));
  }

  String text() {
    return text;
  }

  /** The tokens of each statement without its semicolon; empty after a last semicolon. */
  List<Part> statements() {
    List<Part> parts = new ArrayList<>();
    List<Token> current = new ArrayList<>();
    for (Token token : visible) {
      if (token.getType() == RqlLexer.SEMICOLON) {
        parts.add(new Part(withEnd(current, token.getStartIndex()), range(token)));
        current.clear();
      } else {
        current.add(token);
      }
    }
    SourceRange end = new SourceRange(text.length(), text.length());
    parts.add(new Part(withEnd(current, text.length()), end));
    return parts;
  }

  /**
   * One statement's tokens.
   *
   * @param tokens closed by an end token
   * @param end its semicolon, or the end of the text
   */
  record Part(List<Token> tokens, SourceRange end) {
    boolean isEmpty() {
      return tokens.size() == 1;
    }
  }

  private static List<Token> withEnd(List<Token> tokens, int position) {
    List<Token> closed = new ArrayList<>(tokens);
    CommonToken end = new CommonToken(Token.EOF, "");
    end.setStartIndex(position);
    end.setStopIndex(position - 1);
    closed.add(end);
    return closed;
  }

  /** Returns the problems of single tokens, regardless of their context. */
  List<Diagnostic> problems(List<Token> tokens) {
    List<Diagnostic> problems = new ArrayList<>();
    for (Token token : tokens) {
      problem(token, problems);
    }
    return problems;
  }

  /** Returns whether the last token extends to the end of the text because it is not closed. */
  boolean isUnterminated(List<Token> tokens) {
    return tokens.stream()
        .mapToInt(Token::getType)
        .anyMatch(
            type ->
                type == RqlLexer.UNTERMINATED_STRING
                    || type == RqlLexer.UNTERMINATED_IDENTIFIER
                    || type == RqlLexer.UNTERMINATED_COMMENT);
  }

  private void problem(Token token, List<Diagnostic> problems) {
    SourceRange range = range(token);
    SourceRange opening = new SourceRange(range.start(), range.start() + 1);
    SourceRange commentOpening =
        new SourceRange(range.start(), Math.min(range.end(), range.start() + 2));
    switch (token.getType()) {
      case RqlLexer.UNTERMINATED_STRING ->
          problems.add(
              ErrorCode.UNTERMINATED
                  .at(opening, "string")
                  .withHelp("close it with " + text.charAt(range.start())));
      case RqlLexer.UNTERMINATED_IDENTIFIER ->
          problems.add(
              ErrorCode.UNTERMINATED.at(opening, "quoted name").withHelp("close it with `"));
      case RqlLexer.UNTERMINATED_COMMENT ->
          problems.add(
              ErrorCode.UNTERMINATED.at(commentOpening, "comment").withHelp("close it with */"));
      case RqlLexer.MALFORMED_NUMBER -> problems.add(malformedNumber(token, range));
      case RqlLexer.UNEXPECTED_CHARACTER -> unexpectedCharacter(range, problems);
      default -> {}
    }
  }

  private static Diagnostic malformedNumber(Token token, SourceRange range) {
    String written = token.getText();
    Diagnostic problem = ErrorCode.MALFORMED_NUMBER.at(range, LexicalAdvice.quote(written));
    return problem.withHelp(LexicalAdvice.forNumber(written));
  }

  /** Reports the two halves of a character outside the basic plane as one problem. */
  private void unexpectedCharacter(SourceRange range, List<Diagnostic> problems) {
    char c = text.charAt(range.start());
    if (Character.isLowSurrogate(c) && range.start() > 0) {
      return;
    }
    int end = range.start() + Character.charCount(text.codePointAt(range.start()));
    SourceRange whole = new SourceRange(range.start(), end);
    Diagnostic problem =
        ErrorCode.UNEXPECTED_CHARACTER.at(
            whole, LexicalAdvice.quote(text.substring(range.start(), end)));
    problems.add(
        LexicalAdvice.forCharacter(text.codePointAt(range.start()))
            .map(problem::withHelp)
            .orElse(problem));
  }

  /** Returns the longest text at a position that may be a host name. */
  String hostName(int start) {
    int end = start;
    while (end < text.length() && isPartOfHostName(text.charAt(end))) {
      end++;
    }
    return text.substring(start, end);
  }

  private static boolean isPartOfHostName(char c) {
    return Character.isLetterOrDigit(c) || "_-.:".indexOf(c) >= 0;
  }

  SourceRange range(Token token) {
    return new SourceRange(
        token.getStartIndex(), Math.max(token.getStartIndex(), token.getStopIndex() + 1));
  }

  SourceRange range(Token first, Token last) {
    return range(first).to(range(last));
  }

  SourceRange range(ParserRuleContext context) {
    return range(context.getStart(), context.getStop());
  }

  /** The text of a range, as written. */
  String text(SourceRange range) {
    return text.substring(range.start(), range.end());
  }

  /**
   * Returns the text of a context on one line, with comments and line ends replaced by spaces. Its
   * meaning is unchanged.
   */
  String heading(ParserRuleContext context) {
    StringBuilder heading = new StringBuilder();
    int end = context.getStop().getStopIndex();
    int previousEnd = context.getStart().getStartIndex();
    for (int i = indexOf(context.getStart()); i < visible.size(); i++) {
      Token token = visible.get(i);
      if (token.getStartIndex() > end) {
        break;
      }
      boolean gap = token.getStartIndex() > previousEnd;
      boolean wouldBeComment = endsWithTwoDashes(heading);
      heading.append(gap && !wouldBeComment ? " " : "").append(token.getText());
      previousEnd = token.getStopIndex() + 1;
    }
    return heading.toString();
  }

  private static boolean endsWithTwoDashes(StringBuilder text) {
    int length = text.length();
    return length > 1 && text.charAt(length - 1) == '-' && text.charAt(length - 2) == '-';
  }

  private int indexOf(Token token) {
    return Collections.binarySearch(visible, token, Comparator.comparingInt(Token::getStartIndex));
  }
}
