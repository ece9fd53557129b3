// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The encoding of sets and structs: a type byte and the content, recursively. Thread-safe; a writer
 * is used by one thread at a time.
 */
public final class NestedValues {
  private static final int NULL = 0;
  private static final int FALSE = 1;
  private static final int TRUE = 2;
  private static final int LONG = 3;
  private static final int DOUBLE = 4;
  private static final int STRING = 5;
  private static final int SET = 6;
  private static final int STRUCT = 7;

  private NestedValues() {}

  /** Refuses values that a block cannot hold. */
  static void check(Value value) {
    check(value, 1);
  }

  private static void check(Value value, int depth) {
    boolean nests = value instanceof Value.SetValue || value instanceof Value.StructValue;
    if (nests && depth > EventBlockCodec.MAX_NESTING) {
      throw new IllegalArgumentException(
          "value nested deeper than " + EventBlockCodec.MAX_NESTING + " levels");
    }
    if (value instanceof Value.SetValue set) {
      set.elements().forEach(element -> check(element, depth + 1));
    } else if (value instanceof Value.StructValue struct) {
      struct.fields().values().forEach(field -> check(field, depth + 1));
    } else if (value instanceof Value.DurationValue || value instanceof Value.TimestampValue) {
      throw notOfEvents(value);
    }
  }

  /**
   * Writes a value of an event.
   *
   * @throws IllegalArgumentException for a DURATION or TIMESTAMP, which no event holds
   */
  public static void write(Value value, WireWriter out) {
    value.accept(new Writer(out));
  }

  private record Writer(WireWriter out) implements Value.Visitor<WireWriter> {
    @Override
    public WireWriter nullValue(Value.NullValue value) {
      out.putByte(NULL);
      return out;
    }

    @Override
    public WireWriter booleanValue(Value.BooleanValue value) {
      out.putByte(value.value() ? TRUE : FALSE);
      return out;
    }

    @Override
    public WireWriter longValue(Value.LongValue value) {
      out.putByte(LONG);
      out.putZigzag(value.value());
      return out;
    }

    @Override
    public WireWriter doubleValue(Value.DoubleValue value) {
      out.putByte(DOUBLE);
      out.putLong(Double.doubleToRawLongBits(value.value()));
      return out;
    }

    @Override
    public WireWriter stringValue(Value.StringValue value) {
      out.putByte(STRING);
      out.putText(value.value());
      return out;
    }

    @Override
    public WireWriter durationValue(Value.DurationValue value) {
      throw notOfEvents(value);
    }

    @Override
    public WireWriter timestampValue(Value.TimestampValue value) {
      throw notOfEvents(value);
    }

    @Override
    public WireWriter setValue(Value.SetValue value) {
      out.putByte(SET);
      out.putVarint(value.elements().size());
      value.elements().forEach(element -> element.accept(this));
      return out;
    }

    @Override
    public WireWriter structValue(Value.StructValue value) {
      out.putByte(STRUCT);
      out.putVarint(value.fields().size());
      value
          .fields()
          .forEach(
              (name, field) -> {
                out.putText(name);
                field.accept(this);
              });
      return out;
    }
  }

  private static IllegalArgumentException notOfEvents(Value value) {
    return new IllegalArgumentException("no event holds a " + value);
  }

  /**
   * Reads a value of any type.
   *
   * @throws CorruptBlockException if there is none, or it is nested too deeply
   */
  public static Value read(WireReader in) throws CorruptBlockException {
    return read(in, 1);
  }

  private static Value read(WireReader in, int depth) throws CorruptBlockException {
    int type = getType(in, depth);
    return switch (type) {
      case NULL -> Value.NullValue.NULL;
      case FALSE -> Value.of(false);
      case TRUE -> Value.of(true);
      case LONG -> Value.of(in.getZigzag());
      case DOUBLE -> Value.of(Double.longBitsToDouble(in.getLong()));
      case STRING -> Value.of(in.getText());
      case SET -> new Value.SetValue(elements(in, depth));
      case STRUCT -> new Value.StructValue(fields(in, depth));
      default -> throw in.corrupt("unknown type of value " + type);
    };
  }

  /** Passes over a value; returns roughly how much memory it would take, in bytes. */
  static long skip(WireReader in) throws CorruptBlockException {
    return skip(in, 1);
  }

  private static long skip(WireReader in, int depth) throws CorruptBlockException {
    long bytes = Dictionaries.VALUE_BYTES;
    int type = getType(in, depth);
    switch (type) {
      case LONG -> in.getZigzag();
      case DOUBLE -> in.getLong();
      case STRING -> bytes += Dictionaries.TEXT_BYTES + in.skipText();
      case SET, STRUCT -> {
        int count = in.getCount(type == SET ? "elements" : "fields");
        for (int i = 0; i < count; i++) {
          bytes += type == STRUCT ? Dictionaries.TEXT_BYTES + in.skipText() : 0;
          bytes += skip(in, depth + 1);
        }
      }
      case NULL, FALSE, TRUE -> {} // takes nothing
      default -> throw in.corrupt("unknown type of value " + type);
    }
    return bytes;
  }

  /** Reads a type; only sets and structs are levels of nesting. */
  private static int getType(WireReader in, int depth) throws CorruptBlockException {
    int type = in.getByte();
    if (depth > EventBlockCodec.MAX_NESTING && (type == SET || type == STRUCT)) {
      throw in.corrupt("a value is nested deeper than " + EventBlockCodec.MAX_NESTING + " levels");
    }
    return type;
  }

  private static List<Value> elements(WireReader in, int depth) throws CorruptBlockException {
    int count = in.getCount("elements");
    List<Value> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(read(in, depth + 1));
    }
    return elements;
  }

  private static Map<String, Value> fields(WireReader in, int depth) throws CorruptBlockException {
    int count = in.getCount("fields");
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      fields.put(in.getText(), read(in, depth + 1));
    }
    return fields;
  }
}
