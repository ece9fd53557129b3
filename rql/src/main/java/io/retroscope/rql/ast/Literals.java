package io.retroscope.rql.ast;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Prints values as RQL writes them. */
public final class Literals {
  private static final long[] UNIT_MICROS = {
    86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1_000L, 1L
  };
  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us"};

  private Literals() {}

  static String text(Value value) {
    if (value instanceof Value.NullValue) {
      return "NULL";
    } else if (value instanceof Value.BooleanValue v) {
      return v.value() ? "TRUE" : "FALSE";
    } else if (value instanceof Value.LongValue v) {
      return Long.toString(v.value());
    } else if (value instanceof Value.DoubleValue v) {
      return Double.toString(v.value());
    } else if (value instanceof Value.StringValue v) {
      return string(v.value());
    } else if (value instanceof Value.DurationValue v) {
      return duration(v.micros());
    } else if (value instanceof Value.TimestampValue v) {
      return "hlc'" + HlcTimestamp.text(v.packed()) + "'";
    }
    throw new IllegalArgumentException("no literal: " + value);
  }

  /**
   * A value as results show it, which is how RQL writes it, but a STRING on its own stands without
   * quotes.
   *
   * @param shown what is to be seen of the text of a STRING or of a field's name
   */
  public static String shown(Value value, UnaryOperator<String> shown) {
    return value instanceof Value.StringValue string
        ? shown.apply(string.value())
        : nested(value, shown);
  }

  private static String nested(Value value, UnaryOperator<String> shown) {
    if (value instanceof Value.StringValue string) {
      return "'" + shown.apply(string.value()).replace("'", "''") + "'";
    } else if (value instanceof Value.BooleanValue truth) {
      return Boolean.toString(truth.value());
    } else if (value instanceof Value.SetValue set) {
      return set.elements().stream()
          .map(element -> nested(element, shown))
          .collect(Collectors.joining(", ", "{", "}"));
    } else if (value instanceof Value.StructValue struct) {
      return struct.fields().entrySet().stream()
          .map(field -> shown.apply(field.getKey()) + ": " + nested(field.getValue(), shown))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return text(value);
  }

  /** A duration in its largest whole unit: {@code 1500ms}, {@code 2s}, {@code 0s}. */
  public static String duration(long micros) {
    if (micros == 0) {
      return "0s";
    }
    int unit = 0;
    while (micros % UNIT_MICROS[unit] != 0) {
      unit++;
    }
    return micros / UNIT_MICROS[unit] + UNITS[unit];
  }

  static String string(String content) {
    StringBuilder text = new StringBuilder("'");
    for (int i = 0; i < content.length(); i++) {
      char c = content.charAt(i);
      switch (c) {
        case '\'' -> text.append("''");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        case '\r' -> text.append("\\r");
        default -> {
          if (Character.isISOControl(c)) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    return text.append('\'').toString();
  }
}
