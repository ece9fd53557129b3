// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.SourceRange;

/** Parts of help texts that show the correct form of a rejected text. */
final class Remedy {
  private static final int MAX_BRIEF_CHARACTERS = 60;

  private Remedy() {}

  /** Returns the text on one line, or an ellipsis if it is long. */
  static String brief(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= MAX_BRIEF_CHARACTERS ? line : "...";
  }

  /** Returns the range without whitespace at its ends. */
  static SourceRange trimmed(SourceTokens source, SourceRange range) {
    String text = source.text(range);
    int start = range.start() + text.length() - text.stripLeading().length();
    return new SourceRange(start, Math.max(start, range.start() + text.stripTrailing().length()));
  }
}
