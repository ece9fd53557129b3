// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * A tolerant reader of one JSON object on a line of a log: of a field that is given twice the last
 * value counts, and what no value can hold is kept as text. Used by one thread.
 */
final class JsonLine {
  /** Objects within more others are kept as text. */
  private static final int MAX_DEPTH = 16;

  /** The most fields of one object; the others are left out. */
  private static final int MAX_FIELDS = 1_000;

  private static final int MAX_NAME_LENGTH = 4_096;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(1_000)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(1_000)
                  .build())
          .build();

  private String text = "";
  private final Map<String, BigDecimal> decimals = new HashMap<>();

  /** Reads an object; empty if the line is anything else. */
  Optional<Map<String, Value>> read(String line) {
    text = line;
    decimals.clear();
    try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), line)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      Map<String, Value> object = object(in, 0);
      return in.nextToken() == null ? Optional.of(object) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** The exact value of a number with a fraction at the top of the object. */
  Optional<BigDecimal> decimal(String name) {
    return Optional.ofNullable(decimals.get(name));
  }

  private Map<String, Value> object(JsonParser in, int depth) {
    Map<String, Value> object = new LinkedHashMap<>();
    for (String name = in.nextName(); name != null; name = in.nextName()) {
      Value value = value(in, in.nextToken(), name, depth + 1);
      if (!name.isEmpty() && name.length() <= MAX_NAME_LENGTH && object.size() < MAX_FIELDS) {
        object.put(JsonValues.wellFormed(name), value);
      }
    }
    return object;
  }

  private Value value(JsonParser in, JsonToken token, String name, int depth) {
    return switch (token) {
      case VALUE_STRING -> Value.of(JsonValues.wellFormed(in.getString()));
      case VALUE_TRUE -> Value.of(true);
      case VALUE_FALSE -> Value.of(false);
      case VALUE_NUMBER_INT -> integer(in);
      case VALUE_NUMBER_FLOAT -> decimal(in, name, depth);
      case START_OBJECT -> depth < MAX_DEPTH ? new StructValue(object(in, depth)) : skipped(in);
      case START_ARRAY -> skipped(in);
      default -> Value.NullValue.NULL;
    };
  }

  private static Value integer(JsonParser in) {
    return in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        ? Value.of(in.getString())
        : Value.of(in.getLongValue());
  }

  private Value decimal(JsonParser in, String name, int depth) {
    double number = in.getDoubleValue();
    String digits = in.getString();
    if (!Double.isFinite(number)) {
      return Value.of(digits);
    }
    if (depth == 1 && digits.length() < 40) {
      decimals.put(name, new BigDecimal(digits));
    }
    return Value.of(number);
  }

  /** The text of an array, whose order a set does not keep, or of an object that is too deep. */
  private Value skipped(JsonParser in) {
    long from = in.currentTokenLocation().getCharOffset();
    in.skipChildren();
    long to = in.currentLocation().getCharOffset();
    boolean isKnown = from >= 0 && to <= text.length() && from < to;
    return Value.of(isKnown ? JsonValues.wellFormed(text.substring((int) from, (int) to)) : "");
  }
}
