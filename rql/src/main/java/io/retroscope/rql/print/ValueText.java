// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.diagnostic.CharacterWidth;
import java.util.Locale;

/**
 * The text of values for users. Numbers, durations and timestamps are RQL literals, so that they
 * can be pasted into a query. Control characters are escaped for the terminal.
 */
public final class ValueText {
  private ValueText() {}

  /** Returns the text of a value; a string that is not nested has no quotes. */
  public static String of(Value value) {
    return Literals.shown(value, ValueText::printable);
  }

  /** Returns whether a column of such values is right-aligned. */
  static boolean isNumber(Value value) {
    return value instanceof NumberValue || value instanceof DurationValue;
  }

  /** Returns the text with its control characters as escapes. */
  public static String printable(String text) {
    if (text.codePoints().noneMatch(ValueText::isControl)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder();
    text.codePoints().forEach(c -> appendPrintable(escaped, c));
    return escaped.toString();
  }

  /** Returns the text as one word of a POSIX shell, for a command that a user may copy. */
  public static String shellWord(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private static void appendPrintable(StringBuilder escaped, int c) {
    switch (c) {
      case '\n' -> escaped.append("\\n");
      case '\r' -> escaped.append("\\r");
      case '\t' -> escaped.append("\\t");
      default -> {
        if (isControl(c)) {
          escaped.append(String.format(Locale.ROOT, "\\u%04X", c));
        } else {
          escaped.appendCodePoint(c);
        }
      }
    }
  }

  /**
   * Returns whether a character is a control character, including those that change the direction
   * of writing, which can disguise a line.
   */
  public static boolean isControl(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069);
  }

  /** Returns the width of a text on a terminal. */
  public static int width(String text) {
    return CharacterWidth.of(text);
  }

  /** Returns the text padded with spaces to a width, on its left or its right. */
  public static String pad(String text, int width, boolean toTheRight) {
    String blanks = " ".repeat(Math.max(0, width - width(text)));
    return toTheRight ? blanks + text : text + blanks;
  }
}
