package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.diagnostic.CharacterWidth;
import java.util.Locale;

/**
 * Values as people read them. Numbers, durations and timestamps print as RQL writes them, so that
 * they can be pasted into a query; control characters never reach the terminal.
 */
public final class ValueText {
  private ValueText() {}

  /** A value on its own: a string stands without quotes. */
  public static String of(Value value) {
    return Literals.shown(value, ValueText::printable);
  }

  /** Whether a column of such values is set to the right. */
  static boolean isNumber(Value value) {
    return value instanceof LongValue
        || value instanceof DoubleValue
        || value instanceof DurationValue;
  }

  /** The text with its control characters as escapes. */
  public static String printable(String text) {
    if (text.codePoints().noneMatch(ValueText::isControl)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder();
    text.codePoints().forEach(c -> appendPrintable(escaped, c));
    return escaped.toString();
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

  /** Also those that turn the direction of writing: they can make a line read as another. */
  private static boolean isControl(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069);
  }

  /** Columns that the text takes in a terminal. */
  public static int width(String text) {
    return CharacterWidth.of(text);
  }

  /** The text filled with blanks to a width, on its left or its right. */
  public static String pad(String text, int width, boolean toTheRight) {
    String blanks = " ".repeat(Math.max(0, width - width(text)));
    return toTheRight ? blanks + text : text + blanks;
  }
}
