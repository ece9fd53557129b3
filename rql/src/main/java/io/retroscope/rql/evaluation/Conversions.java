// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

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
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** The functions Long(e), Double(e) and String(e). They return NULL for NULL. */
final class Conversions {
  private static final int MAX_QUOTED_CHARACTERS = 30;

  // Java also reads 1d, 0x1p3, NaN and the digits of other scripts, which are not numbers in RQL.
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?[0-9]++");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]++(\\.[0-9]*+)?+|\\.[0-9]++)([eE][+-]?[0-9]++)?");

  private static final Value.Visitor<Value> TO_LONG =
      new Value.Visitor<>() {
        @Override
        public Value nullValue(NullValue value) {
          return value;
        }

        @Override
        public Value booleanValue(BooleanValue value) {
          return Value.of(value.value() ? 1 : 0);
        }

        @Override
        public Value longValue(LongValue value) {
          return value;
        }

        @Override
        public Value doubleValue(DoubleValue value) {
          return Value.of(Arithmetic.toLong(value.value()));
        }

        @Override
        public Value stringValue(StringValue value) {
          return toLong(value);
        }

        @Override
        public Value durationValue(DurationValue value) {
          return Value.of(value.micros());
        }

        @Override
        public Value timestampValue(TimestampValue value) {
          return Value.of(HlcTimestamp.micros(value.packed()));
        }

        @Override
        public Value setValue(SetValue value) {
          throw notConvertible(value, "LONG");
        }

        @Override
        public Value structValue(StructValue value) {
          throw notConvertible(value, "LONG");
        }
      };

  private Conversions() {}

  /**
   * Converts to a LONG: a DOUBLE loses its fraction, a BOOLEAN becomes 0 or 1, and times become
   * microseconds.
   */
  static Value toLong(Value value) {
    return value.accept(TO_LONG);
  }

  static Value toDouble(Value value) {
    if (value instanceof DoubleValue || value instanceof NullValue) {
      return value;
    }
    if (Arithmetic.isNumber(value)) {
      return Value.of(Arithmetic.toDouble(value));
    }
    if (value instanceof StringValue text) {
      return toDouble(text);
    }
    if (value instanceof SetValue || value instanceof StructValue) {
      throw notConvertible(value, "DOUBLE");
    }
    return Value.of((double) ((LongValue) toLong(value)).value());
  }

  private static Value toLong(StringValue text) {
    if (!WHOLE_NUMBER.matcher(text.value().strip()).matches()) {
      throw notConvertible(text, "LONG");
    }
    try {
      return Value.of(Long.parseLong(text.value().strip()));
    } catch (NumberFormatException e) {
      throw new EvaluationException(ErrorCode.OVERFLOW, quoted(text));
    }
  }

  private static Value toDouble(StringValue text) {
    if (!NUMBER.matcher(text.value().strip()).matches()) {
      throw notConvertible(text, "DOUBLE");
    }
    return Arithmetic.finite(Double.parseDouble(text.value().strip()));
  }

  /**
   * Returns the value as RQL source text, except that a STRING that is not nested has no quotes.
   */
  static String text(Value value) {
    return Literals.shown(value, UnaryOperator.identity());
  }

  /** Returns the text of a value, and rejects a text that is too long. */
  static String text(Value value, int maxCharacters) {
    checkLength(characters(value, maxCharacters), maxCharacters);
    return text(value);
  }

  static void checkLength(long characters, int maxCharacters) {
    if (characters > maxCharacters) {
      throw new EvaluationException(ErrorCode.TEXT_TOO_LARGE, maxCharacters);
    }
  }

  /** Returns a lower bound of the length of the value's text. It stops counting at the limit. */
  private static long characters(Value value, long limit) {
    if (value instanceof StringValue text) {
      return text.value().length();
    }
    Collection<Value> parts =
        value instanceof SetValue set
            ? set.elements()
            : value instanceof StructValue struct ? struct.fields().values() : List.of();
    long characters = 1;
    for (Value part : parts) {
      characters += characters(part, limit - characters);
      if (characters > limit) {
        return characters;
      }
    }
    return characters;
  }

  private static EvaluationException notConvertible(Value value, String type) {
    String what = value instanceof StringValue text ? quoted(text) : Types.described(value);
    return new EvaluationException(ErrorCode.BAD_CONVERSION, what, type);
  }

  /** Quotes a text, shortened to a length that suits an error message. */
  private static String quoted(StringValue text) {
    String content = text.value();
    return "'"
        + (content.length() > MAX_QUOTED_CHARACTERS
            ? content.substring(0, MAX_QUOTED_CHARACTERS) + "..."
            : content)
        + "'";
  }
}
