// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.completion.TypedStatement;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/**
 * The line editor's parser, which decides whether a text is complete and which word is being
 * completed.
 */
final class EditorParser implements Parser {
  /** The mark in the continuation prompt if no string, name or comment is open. */
  static final String OPEN_STATEMENT = "-";

  private static final String OPEN_COMMENT = "*";

  /** A command with the whitespace after it; its argument follows. */
  private static final Pattern COMMAND =
      Pattern.compile("\\s*(\\\\\\S+|help)\\s+", Pattern.CASE_INSENSITIVE);

  private final Supplier<Stream<String>> names;

  /**
   * Creates a parser.
   *
   * @param names the known names, so that a name with unusual characters is one word
   */
  EditorParser(Supplier<Stream<String>> names) {
    this.names = names;
  }

  @Override
  public ParsedLine parse(String line, int cursor, ParseContext context) {
    boolean open =
        context == ParseContext.ACCEPT_LINE
            && !StatementSplitter.isComplete(line)
            && StatementSplitter.inner(line).isEmpty();
    if (open || context == ParseContext.SECONDARY_PROMPT) {
      throw new EOFError(-1, -1, "the statement has no semicolon yet", sign(line));
    }
    return edited(line, cursor);
  }

  /** Returns a mark for the unclosed element at the end of a text, such as a quotation mark. */
  private static String sign(String text) {
    List<RqlToken> tokens = RqlToken.of(text);
    if (tokens.isEmpty() || last(tokens).kind() != Kind.UNTERMINATED) {
      return OPEN_STATEMENT;
    }
    String sign = last(tokens).text().substring(0, 1);
    return sign.equals("/") ? OPEN_COMMENT : sign;
  }

  private static RqlToken last(List<RqlToken> tokens) {
    return tokens.get(tokens.size() - 1);
  }

  private EditorLine edited(String text, int cursor) {
    int lineStart = text.lastIndexOf('\n', cursor - 1) + 1;
    String line = text.substring(lineStart, cursor);
    if (line.stripLeading().startsWith("\\") || COMMAND.matcher(line).lookingAt()) {
      if (StatementSplitter.isComplete(text.substring(0, lineStart))) {
        return command(text, cursor, lineStart);
      }
    }
    return new EditorLine(
        text, cursor, TypedStatement.of(text, cursor, names).wordStart(), Optional.empty());
  }

  private static EditorLine command(String text, int cursor, int lineStart) {
    String line = text.substring(lineStart, cursor);
    Matcher command = COMMAND.matcher(line);
    if (!command.lookingAt()) {
      int wordStart = lineStart + line.indexOf('\\');
      return new EditorLine(text, cursor, wordStart, Optional.empty());
    }
    return new EditorLine(
        text,
        cursor,
        lineStart + command.end(),
        Optional.of(command.group(1).toLowerCase(Locale.ROOT)));
  }

  /**
   * A text that is being edited.
   *
   * @param wordStart start of the word at the cursor
   * @param command the command whose argument that word is, in lower case
   */
  record EditorLine(String line, int cursor, int wordStart, Optional<String> command)
      implements CompletingParsedLine {
    /** The same as a statement. */
    TypedStatement typed() {
      return new TypedStatement(line, cursor, wordStart);
    }

    @Override
    public String word() {
      return line.substring(wordStart, cursor);
    }

    @Override
    public int wordCursor() {
      return cursor - wordStart;
    }

    @Override
    public int wordIndex() {
      return 0;
    }

    @Override
    public List<String> words() {
      return List.of(word());
    }

    @Override
    public CharSequence escape(CharSequence candidate, boolean complete) {
      return candidate;
    }

    @Override
    public int rawWordCursor() {
      return wordCursor();
    }

    @Override
    public int rawWordLength() {
      return wordCursor();
    }
  }
}
