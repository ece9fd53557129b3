// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The text of values as RQL literals. */
public final class Literals {
  private static final Pattern DURATION = Pattern.compile("(-?\\d{1,19})(us|ms|s|m|h|d)");

  /** The longest unit first, so that printing finds the largest whole unit. */
  private static final Map<String, Long> UNIT_MICROS = new LinkedHashMap<>();

  private static final Value.Visitor<String> TEXT =
      new Value.Visitor<>() {
        @Override
        public String nullValue(Value.NullValue value) {
          return "NULL";
        }

        @Override
        public String booleanValue(Value.BooleanValue value) {
          return value.value() ? "TRUE" : "FALSE";
        }

        @Override
        public String longValue(Value.LongValue value) {
          return Long.toString(value.value());
        }

        @Override
        public String doubleValue(Value.DoubleValue value) {
          return Double.toString(value.value());
        }

        @Override
        public String stringValue(Value.StringValue value) {
          return string(value.value());
        }

        @Override
        public String durationValue(Value.DurationValue value) {
          return duration(value.micros());
        }

        @Override
        public String timestampValue(Value.TimestampValue value) {
          return "hlc'" + HlcTimestamp.text(value.packed()) + "'";
        }

        @Override
        public String setValue(Value.SetValue value) {
          throw new IllegalArgumentException("no literal: " + value);
        }

        @Override
        public String structValue(Value.StructValue value) {
          throw new IllegalArgumentException("no literal: " + value);
        }
      };

  static {
    UNIT_MICROS.put("d", 86_400_000_000L);
    UNIT_MICROS.put("h", 3_600_000_000L);
    UNIT_MICROS.put("m", 60_000_000L);
    UNIT_MICROS.put("s", 1_000_000L);
    UNIT_MICROS.put("ms", 1_000L);
    UNIT_MICROS.put("us", 1L);
  }

  private Literals() {}

  static String text(Value value) {
    return value.accept(TEXT);
  }

  /**
   * Returns a value as results show it: as a literal, except that a STRING that is not nested has
   * no quotes.
   *
   * @param shown transforms the text of each STRING and field name
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

  /** Returns a duration in its largest whole unit: {@code 1500ms}, {@code 2s}, {@code 0s}. */
  public static String duration(long micros) {
    if (micros == 0) {
      return "0s";
    }
    for (Map.Entry<String, Long> unit : UNIT_MICROS.entrySet()) {
      if (micros % unit.getValue() == 0) {
        return micros / unit.getValue() + unit.getKey();
      }
    }
    throw new AssertionError("every number is a multiple of one");
  }

  /**
   * Returns the microseconds of a duration in the form of {@link #duration}.
   *
   * @return empty if the text is not a duration, or exceeds a LONG of microseconds
   */
  public static OptionalLong durationMicros(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    BigInteger unit = BigInteger.valueOf(UNIT_MICROS.getOrDefault(matcher.group(2), 1L));
    BigInteger micros = new BigInteger(matcher.group(1)).multiply(unit);
    return micros.bitLength() < Long.SIZE
        ? OptionalLong.of(micros.longValue())
        : OptionalLong.empty();
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
