package io.retroscope.cli.shiviz;

import io.retroscope.event.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The type of a field, inferred from all its texts, so that it is the same for all entries. */
enum FieldType {
  /** Every text is true or false. */
  BOOLEAN,
  /** Every text is an integer in the usual notation; {@code 007} is treated as an identifier. */
  LONG,
  /** Every text is a number. */
  DOUBLE,
  /** Anything else. */
  STRING;

  private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9]\\d{0,17})");
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9]\\d{0,14})(\\.\\d+)?([eE][-+]?\\d{1,2})?");

  /** The type of each field that the entries have. */
  static Map<String, FieldType> guess(List<LogEntry> entries) {
    Map<String, FieldType> types = new HashMap<>();
    for (LogEntry entry : entries) {
      entry.fields().forEach((name, text) -> types.merge(name, of(text), FieldType::wider));
    }
    return types;
  }

  private static FieldType of(String text) {
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return BOOLEAN;
    }
    if (INTEGER.matcher(text).matches()) {
      return LONG;
    }
    return NUMBER.matcher(text).matches() ? DOUBLE : STRING;
  }

  private FieldType wider(FieldType other) {
    if (this == other) {
      return this;
    }
    boolean numbers = (this == LONG || this == DOUBLE) && (other == LONG || other == DOUBLE);
    return numbers ? DOUBLE : STRING;
  }

  Value value(String text) {
    return switch (this) {
      case BOOLEAN -> Value.of(text.equalsIgnoreCase("true"));
      case LONG -> Value.of(Long.parseLong(text));
      case DOUBLE -> Value.of(Double.parseDouble(text));
      case STRING -> Value.of(text);
    };
  }
}
