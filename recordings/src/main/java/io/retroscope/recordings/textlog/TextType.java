// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.regex.Pattern;

/** The type of a variable, inferred from all its texts, so that it is the same everywhere. */
public enum TextType {
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

  /** The narrowest type of a text. */
  public static TextType of(String text) {
    if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
      return BOOLEAN;
    }
    if (INTEGER.matcher(text).matches()) {
      return LONG;
    }
    return NUMBER.matcher(text).matches() ? DOUBLE : STRING;
  }

  /** The narrowest type of two texts. */
  public TextType wider(TextType other) {
    if (this == other) {
      return this;
    }
    boolean numbers = (this == LONG || this == DOUBLE) && (other == LONG || other == DOUBLE);
    return numbers ? DOUBLE : STRING;
  }

  /** The value of a text of this type. */
  public Value value(String text) {
    return switch (this) {
      case BOOLEAN -> Value.of(text.equalsIgnoreCase("true"));
      case LONG -> Value.of(Long.parseLong(text));
      case DOUBLE -> Value.of(Double.parseDouble(text));
      case STRING -> Value.of(text);
    };
  }
}
