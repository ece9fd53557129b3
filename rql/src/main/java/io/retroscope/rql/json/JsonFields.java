// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static io.retroscope.rql.json.JsonValues.MAX_DEPTH;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A reader of single JSON fields as types. Every method throws a {@link JsonFieldException} that
 * names the field if the value has another type or is out of range. Not thread-safe.
 */
final class JsonFields {
  private final JsonParser in;

  /** Creates a reader of values at which the parser is positioned. */
  JsonFields(JsonParser in) {
    this.in = in;
  }

  /** Advances to the next element of an array, or to its end. */
  JsonToken nextElement() {
    return in.nextToken();
  }

  String text(JsonToken token, String field) {
    if (token != JsonToken.VALUE_STRING) {
      throw new JsonFieldException(field, "must be a string");
    }
    return JsonValues.string(in, field);
  }

  /** Returns a text of 1 to {@code maxLength} characters. */
  String name(JsonToken token, String field, int maxLength) {
    String text = text(token, field);
    if (text.isEmpty() || text.length() > maxLength) {
      throw new JsonFieldException(
          field, "must have 1 to " + maxLength + " characters: it has " + text.length());
    }
    return text;
  }

  long integer(JsonToken token, String field, long min, long max) {
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw new JsonFieldException(field, "must be an integer");
    }
    long value = JsonValues.integer(in, field);
    if (value < min || value > max) {
      throw new JsonFieldException(field, "must be within " + min + ".." + max + ": " + value);
    }
    return value;
  }

  /** Returns a packed stamp. */
  long stamp(JsonToken token, String field) {
    if (token == JsonToken.VALUE_STRING) {
      return stamp(JsonValues.string(in, field), field);
    }
    if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      throw new JsonFieldException(
          field, "loses digits as a fractional number: write the string \"<micros>.<logical>\"");
    }
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw new JsonFieldException(
          field, "must be a string \"<micros>.<logical>\" or an integer of microseconds");
    }
    return HlcTimestamp.pack(integer(token, field, 0, HlcTimestamp.MAX_MICROS));
  }

  /** Returns the packed stamp of a text. */
  static long stamp(String text, String field) {
    try {
      return HlcTimestamp.parse(text);
    } catch (IllegalArgumentException e) {
      throw new JsonFieldException(field, e.getMessage() == null ? "no stamp" : e.getMessage());
    }
  }

  Map<String, Value> object(JsonToken token, String field) {
    if (token != JsonToken.START_OBJECT) {
      throw new JsonFieldException(field, "must be an object");
    }
    return JsonValues.struct(in, field, MAX_DEPTH);
  }

  /** Returns an object that has no other fields than the known ones. */
  Map<String, Value> object(JsonToken token, String field, Set<String> known) {
    Map<String, Value> object = object(token, field);
    for (String name : object.keySet()) {
      if (!known.contains(name)) {
        throw new JsonFieldException(field + "." + name, "is not a field of \"" + field + "\"");
      }
    }
    return object;
  }

  /**
   * Returns a string field of a small object. Without a default it must be present and not empty.
   */
  static String text(
      Map<String, Value> object, String parent, String name, @Nullable String absent) {
    Value value = object.get(name);
    String path = parent + "." + name;
    if (value == null) {
      if (absent == null) {
        throw new JsonFieldException(path, "is missing");
      }
      return absent;
    }
    if (!(value instanceof Value.StringValue text)) {
      throw new JsonFieldException(path, "must be a string");
    }
    if (absent == null && text.value().isEmpty()) {
      throw new JsonFieldException(path, "must not be empty");
    }
    return text.value();
  }

  /** Returns the constant with the {@link #nameOf name}. */
  static <E extends Enum<E>> E oneOf(E[] constants, String text, String field) {
    for (E constant : constants) {
      if (nameOf(constant).equals(text)) {
        return constant;
      }
    }
    String known =
        Arrays.stream(constants).map(JsonFields::nameOf).collect(Collectors.joining(", "));
    throw new JsonFieldException(
        field, "\"" + JsonValues.abbreviate(text) + "\" is not one of " + known);
  }

  /** The name of a constant in JSON. */
  static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
