package io.retroscope.rql.shell;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.ast.Literals;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.jline.utils.WCWidth;

/**
 * Values as people read them. Numbers, durations and timestamps print as RQL writes them, so that
 * they can be pasted into a query; control characters never reach the terminal.
 */
public final class ValueText {
  private ValueText() {}

  /** A value on its own: a string stands without quotes. */
  public static String of(Value value) {
    return value instanceof StringValue string ? printable(string.value()) : nested(value);
  }

  /** Whether a column of such values is set to the right. */
  static boolean isNumber(Value value) {
    return value instanceof LongValue
        || value instanceof DoubleValue
        || value instanceof DurationValue;
  }

  /** A value inside a collection: a string stands in quotes. */
  private static String nested(Value value) {
    if (value instanceof NullValue) {
      return "NULL";
    }
    if (value instanceof BooleanValue truth) {
      return Boolean.toString(truth.value());
    }
    if (value instanceof LongValue number) {
      return Long.toString(number.value());
    }
    if (value instanceof DoubleValue number) {
      return Double.toString(number.value());
    }
    if (value instanceof StringValue string) {
      return "'" + printable(string.value()).replace("'", "''") + "'";
    }
    if (value instanceof DurationValue duration) {
      return Literals.duration(duration.micros());
    }
    if (value instanceof TimestampValue timestamp) {
      return new HlcTimestamp(timestamp.packed()).toString();
    }
    if (value instanceof SetValue set) {
      return set(set);
    }
    return struct((StructValue) value);
  }

  private static String set(SetValue set) {
    StringBuilder text = new StringBuilder("{");
    for (Iterator<Value> elements = set.elements().iterator(); elements.hasNext(); ) {
      text.append(nested(elements.next())).append(elements.hasNext() ? ", " : "");
    }
    return text.append('}').toString();
  }

  private static String struct(StructValue struct) {
    StringBuilder text = new StringBuilder("{");
    String separator = "";
    for (Map.Entry<String, Value> field : struct.fields().entrySet()) {
      text.append(separator).append(printable(field.getKey())).append(": ");
      text.append(nested(field.getValue()));
      separator = ", ";
    }
    return text.append('}').toString();
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
    return text.codePoints().map(c -> Math.max(0, WCWidth.wcwidth(c))).sum();
  }

  /** The text filled with blanks to a width, on its left or its right. */
  public static String pad(String text, int width, boolean toTheRight) {
    String blanks = " ".repeat(Math.max(0, width - width(text)));
    return toTheRight ? blanks + text : text + blanks;
  }
}
