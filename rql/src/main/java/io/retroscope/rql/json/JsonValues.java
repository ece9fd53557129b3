// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * The conversion between values and JSON: null, booleans, integers (LONG), other numbers (DOUBLE),
 * strings, arrays (SET) and objects (STRUCT). A DOUBLE always has a decimal point or an exponent,
 * so that {@code 3.0} remains a DOUBLE. The three {@link Form}s write the rest.
 */
public final class JsonValues {
  /** The maximum nesting of arrays and objects within one value. */
  public static final int MAX_DEPTH = 64;

  /** The factory of all readers and writers of this package, which is thread-safe. */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH + 16)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .rootValueSeparator((String) null)
          .build();

  /** The factory of readers of events. */
  static final JsonFactory EVENTS =
      JSON.rebuild().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static final String MICROS = "$micros";
  private static final String HLC = "$hlc";
  private static final String DOUBLE = "$double";

  private JsonValues() {}

  /** The forms of what JSON has no type for. */
  private enum Form {
    /**
     * For people and other programs; not read. A DURATION is integer microseconds, a TIMESTAMP the
     * string {@code "<micros>.<logical>"}, and NaN and the infinities are strings.
     */
    PLAIN,
    /** Of events: NaN and the infinities are words without quotes, as many programs write them. */
    EVENT,
    /** Of a {@link ResultWriter}: an object names the type. */
    RESULT
  }

  /** Returns the JSON text of a value. */
  public static String text(Value value) {
    return JsonText.of(out -> write(out, value));
  }

  /**
   * Returns the value of a JSON text.
   *
   * @throws IllegalArgumentException if the text is not one JSON value; the message is the reason
   */
  public static Value parse(String text) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text.toCharArray())) {
      JsonToken first = parser.nextToken();
      Value value = read(parser, first, "value", MAX_DEPTH);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("more than one JSON value");
      }
      return value;
    } catch (JsonFieldException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(syntaxError(e), e);
    }
  }

  /** Writes a value at the generator's position. */
  public static void write(JsonGenerator out, Value value) {
    value.accept(new Writer(out, Form.PLAIN));
  }

  /** Writes a value of an event at the generator's position; a reader of events reads it back. */
  static void writeExactly(JsonGenerator out, Value value) {
    value.accept(new Writer(out, Form.EVENT));
  }

  /** Writes a value of a result at the generator's position; {@link #ofResult} restores it. */
  static void writeOfResult(JsonGenerator out, Value value) {
    value.accept(new Writer(out, Form.RESULT));
  }

  /** Writes a TIMESTAMP of a result. */
  static JsonGenerator writeStampOfResult(JsonGenerator out, long packed) {
    return out.writeStartObject()
        .writeName(HLC)
        .writeString(HlcTimestamp.text(packed))
        .writeEndObject();
  }

  /** The name of a field in a result: another dollar sign precedes one at its start. */
  static String nameOfResult(String name) {
    return name.startsWith("$") ? "$" + name : name;
  }

  /** Restores a value of a result from its JSON, as {@link #read} returns it. */
  static Value ofResult(Value value) {
    if (value instanceof SetValue set) {
      return new SetValue(set.elements().stream().map(JsonValues::ofResult).toList());
    }
    if (!(value instanceof StructValue struct)) {
      return value;
    }
    if (struct.fields().get(MICROS) instanceof LongValue micros) {
      return new DurationValue(micros.value());
    }
    if (struct.fields().get(HLC) instanceof StringValue stamp) {
      return new TimestampValue(HlcTimestamp.parse(stamp.value()));
    }
    if (struct.fields().get(DOUBLE) instanceof StringValue number) {
      return Value.of(Double.parseDouble(number.value()));
    }
    Map<String, Value> fields = new LinkedHashMap<>();
    struct
        .fields()
        .forEach((name, field) -> fields.put(StructNames.restored(name), ofResult(field)));
    return new StructValue(fields);
  }

  private record Writer(JsonGenerator out, Form form) implements Value.Visitor<JsonGenerator> {
    @Override
    public JsonGenerator nullValue(NullValue value) {
      return out.writeNull();
    }

    @Override
    public JsonGenerator booleanValue(BooleanValue value) {
      return out.writeBoolean(value.value());
    }

    @Override
    public JsonGenerator longValue(LongValue value) {
      return out.writeNumber(value.value());
    }

    @Override
    public JsonGenerator doubleValue(DoubleValue value) {
      String text = Double.toString(value.value());
      if (Double.isFinite(value.value())) {
        return out.writeRawValue(text);
      }
      return switch (form) {
        case PLAIN -> out.writeString(text);
        case EVENT -> out.writeRawValue(text);
        case RESULT -> out.writeStartObject().writeName(DOUBLE).writeString(text).writeEndObject();
      };
    }

    @Override
    public JsonGenerator stringValue(StringValue value) {
      return out.writeString(value.value());
    }

    @Override
    public JsonGenerator durationValue(DurationValue value) {
      return switch (form) {
        case PLAIN, EVENT -> out.writeNumber(value.micros());
        case RESULT ->
            out.writeStartObject().writeName(MICROS).writeNumber(value.micros()).writeEndObject();
      };
    }

    @Override
    public JsonGenerator timestampValue(TimestampValue value) {
      return switch (form) {
        case PLAIN, EVENT -> out.writeString(HlcTimestamp.text(value.packed()));
        case RESULT -> writeStampOfResult(out, value.packed());
      };
    }

    @Override
    public JsonGenerator setValue(SetValue value) {
      out.writeStartArray();
      value.elements().forEach(element -> element.accept(this));
      return out.writeEndArray();
    }

    @Override
    public JsonGenerator structValue(StructValue value) {
      out.writeStartObject();
      value
          .fields()
          .forEach(
              (name, field) -> {
                out.writeName(form == Form.RESULT ? nameOfResult(name) : name);
                field.accept(this);
              });
      return out.writeEndObject();
    }
  }

  /**
   * Reads the value that begins with {@code token}, and leaves the parser on its last token.
   *
   * @param field the path for errors
   */
  static Value read(JsonParser in, @Nullable JsonToken token, String field, int depthLeft) {
    if (token == null) {
      throw new JsonFieldException(field, "a value is missing");
    }
    return switch (token) {
      case VALUE_NULL -> NullValue.NULL;
      case VALUE_TRUE -> BooleanValue.TRUE;
      case VALUE_FALSE -> BooleanValue.FALSE;
      case VALUE_STRING -> Value.of(string(in, field));
      case VALUE_NUMBER_INT -> Value.of(integer(in, field));
      case VALUE_NUMBER_FLOAT -> Value.of(decimal(in, field));
      case START_ARRAY -> set(in, field, deeper(field, depthLeft));
      case START_OBJECT -> new StructValue(struct(in, field, deeper(field, depthLeft)));
      default -> throw new JsonFieldException(field, "expected a value");
    };
  }

  private static int deeper(String field, int depthLeft) {
    if (depthLeft == 0) {
      throw new JsonFieldException(field, "nested deeper than " + MAX_DEPTH + " levels");
    }
    return depthLeft - 1;
  }

  private static SetValue set(JsonParser in, String field, int depthLeft) {
    List<Value> elements = new ArrayList<>();
    for (JsonToken t = in.nextToken(); t != JsonToken.END_ARRAY; t = in.nextToken()) {
      elements.add(read(in, t, field, depthLeft));
    }
    return new SetValue(elements);
  }

  /** Reads an object's fields, from its opening to its closing brace. */
  static Map<String, Value> struct(JsonParser in, String field, int depthLeft) {
    return struct(in, in.nextName(), field, depthLeft);
  }

  /** Reads an object's fields, the first name of which is read already. */
  static Map<String, Value> struct(
      JsonParser in, @Nullable String first, String field, int depthLeft) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (String name = first; name != null; name = in.nextName()) {
      String path = field + "." + wellFormed(name, field);
      if (fields.put(name, read(in, in.nextToken(), path, depthLeft)) != null) {
        throw new JsonFieldException(path, "is given twice");
      }
    }
    return fields;
  }

  /** Returns the string at the parser's position. */
  static String string(JsonParser in, String field) {
    return wellFormed(in.getString(), field);
  }

  /** Replaces half a surrogate pair, which an escape may name but no file can hold. */
  public static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
      }
    }
    return text;
  }

  /**
   * Rejects half a surrogate pair, which JSON can escape although it is not a character and has no
   * UTF-8 form.
   */
  static String wellFormed(String text, String field) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (Character.isSurrogatePair(
            text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
          i++;
        } else {
          throw new JsonFieldException(
              field, "contains half a surrogate pair, which is not a character");
        }
      }
    }
    return text;
  }

  /** Returns the integer at the parser's position. */
  static long integer(JsonParser in, String field) {
    try {
      return in.getLongValue();
    } catch (JacksonException e) {
      throw new JsonFieldException(field, "integer outside 64 bits: " + abbreviate(in.getString()));
    }
  }

  private static double decimal(JsonParser in, String field) {
    double value = in.getDoubleValue();
    if (!Double.isFinite(value) && !Double.toString(value).equals(in.getString())) {
      throw new JsonFieldException(
          field, "number too large for a DOUBLE: " + abbreviate(in.getString()));
    }
    return value;
  }

  static String abbreviate(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }

  /** Returns one sentence about invalid JSON, without the parser's own message. */
  static String syntaxError(JacksonException e) {
    int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
    return "not valid JSON" + (column > 0 ? " at column " + column : "");
  }
}
