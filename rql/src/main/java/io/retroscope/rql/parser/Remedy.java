package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.SourceRange;

/** Pieces of the help that shows how a refused text is written instead. */
final class Remedy {
  private static final int MAX_BRIEF_CHARACTERS = 60;

  private Remedy() {}

  /** The text on one line, or an ellipsis where it is long. */
  static String brief(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= MAX_BRIEF_CHARACTERS ? line : "...";
  }

  /** The range without blanks at its ends. */
  static SourceRange trimmed(SourceTokens source, SourceRange range) {
    String text = source.text(range);
    int start = range.start() + text.length() - text.stripLeading().length();
    return new SourceRange(start, Math.max(start, range.start() + text.stripTrailing().length()));
  }
}
