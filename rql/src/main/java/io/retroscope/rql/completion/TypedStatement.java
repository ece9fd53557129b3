// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.completion;

import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A text that is being typed, and the word at the cursor. Immutable.
 *
 * @param text with one or more statements
 * @param cursor the place of the cursor in UTF-16 units
 * @param wordStart the start of the word that ends at the cursor
 */
public record TypedStatement(String text, int cursor, int wordStart) {
  /** Characters in names of logs, variables and nodes that require backquotes. */
  private static final String SIGNS_IN_NAMES = "/-.:";

  /**
   * Finds the word at the cursor.
   *
   * @param cursor from 0 to the length of the text
   * @param names the known names, so that a name with unusual characters is one word; called only
   *     for such a name, because to know the names may take the reading of a file
   */
  public static TypedStatement of(String text, int cursor, Supplier<Stream<String>> names) {
    return new TypedStatement(text, cursor, wordStart(text, cursor, names));
  }

  /** Returns the start of the name that ends at the cursor. */
  private static int wordStart(String text, int cursor, Supplier<Stream<String>> names) {
    List<RqlToken> tokens = RqlToken.of(text.substring(0, cursor));
    if (!tokens.isEmpty() && last(tokens).kind() == Kind.UNTERMINATED) {
      return last(tokens).text().startsWith("`") ? last(tokens).range().start() : cursor;
    }
    int start = cursor;
    int looseStart = cursor;
    while (looseStart > 0 && isLooseWordPart(text.charAt(looseStart - 1))) {
      looseStart--;
      start = isWordPart(text.charAt(looseStart)) && start == looseStart + 1 ? looseStart : start;
    }
    return start > looseStart && beginsName(text.substring(looseStart, cursor), names)
        ? looseStart
        : start;
  }

  private static boolean beginsName(String text, Supplier<Stream<String>> names) {
    return names.get().anyMatch(n -> n.regionMatches(true, 0, text, 0, text.length()));
  }

  private static boolean isLooseWordPart(char c) {
    return isWordPart(c) || SIGNS_IN_NAMES.indexOf(c) >= 0;
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  private static RqlToken last(List<RqlToken> tokens) {
    return tokens.get(tokens.size() - 1);
  }

  /** The word as far as it is typed. */
  public String word() {
    return text.substring(wordStart, cursor);
  }

  /** Returns the tokens before the word at the cursor. */
  List<RqlToken> before() {
    return RqlToken.of(text.substring(0, wordStart));
  }

  /** Whether a statement begins at the word. */
  public boolean beginsStatement() {
    return !inText() && StatementContext.of(before()).isEmpty();
  }

  /** Returns whether the cursor is in a string or a comment, where nothing is completed. */
  public boolean inText() {
    List<RqlToken> tokens = before();
    if (tokens.isEmpty()) {
      return false;
    }
    RqlToken last = last(tokens);
    boolean lineComment = last.kind() == Kind.COMMENT && !last.text().startsWith("/*");
    return last.kind() == Kind.UNTERMINATED
        || (lineComment && text.substring(last.range().end(), wordStart).indexOf('\n') < 0);
  }
}
