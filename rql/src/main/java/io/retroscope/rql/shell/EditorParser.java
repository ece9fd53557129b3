package io.retroscope.rql.shell;

import io.retroscope.rql.parser.RqlToken;
import java.util.List;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Tells the line editor when a text can be run, and which word is being completed. */
final class EditorParser implements Parser {
  @Override
  public ParsedLine parse(String line, int cursor, ParseContext context) {
    if (context == ParseContext.ACCEPT_LINE && !StatementSplitter.isComplete(line)) {
      throw new EOFError(-1, -1, "the statement has no semicolon yet");
    }
    return new EditorLine(line, cursor, wordStart(line, cursor));
  }

  /** Where the name or the command begins that ends at the cursor. */
  private static int wordStart(String line, int cursor) {
    int start = cursor;
    while (start > 0 && isWordPart(line.charAt(start - 1))) {
      start--;
    }
    boolean marked = start > 0 && (line.charAt(start - 1) == '`' || isCommand(line, start - 1));
    return marked ? start - 1 : start;
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private static boolean isCommand(String line, int position) {
    return line.charAt(position) == '\\' && line.substring(0, position).isBlank();
  }

  /**
   * A text being edited.
   *
   * @param wordStart where the word at the cursor begins
   */
  record EditorLine(String line, int cursor, int wordStart) implements CompletingParsedLine {
    /** The pieces before the word at the cursor. */
    List<RqlToken> before() {
      return RqlToken.of(line.substring(0, wordStart));
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
