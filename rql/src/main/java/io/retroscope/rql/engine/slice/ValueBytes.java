// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.event.CorruptBlockException;
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
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of all types as bytes: one for the type, then the content. Input is not trusted. */
final class ValueBytes {
  private static final int NULL = 0;
  private static final int FALSE = 1;
  private static final int TRUE = 2;
  private static final int LONG = 3;
  private static final int DOUBLE = 4;
  private static final int STRING = 5;
  private static final int DURATION = 6;
  private static final int TIMESTAMP = 7;
  private static final int SET = 8;
  private static final int STRUCT = 9;

  /** Far above what the events and expressions of a query nest. */
  private static final int MAX_DEPTH = 500;

  private ValueBytes() {}

  static void write(Value value, WireWriter out) {
    Integer unused = value.accept(new Writing(out));
  }

  /** Writes a value; the results have no meaning. */
  private record Writing(WireWriter out) implements Value.Visitor<Integer> {
    private Integer begin(int type) {
      out.putByte(type);
      return type;
    }

    @Override
    public Integer nullValue(NullValue value) {
      return begin(NULL);
    }

    @Override
    public Integer booleanValue(BooleanValue value) {
      return begin(value.value() ? TRUE : FALSE);
    }

    @Override
    public Integer longValue(LongValue value) {
      Integer type = begin(LONG);
      out.putZigzag(value.value());
      return type;
    }

    @Override
    public Integer doubleValue(DoubleValue value) {
      Integer type = begin(DOUBLE);
      out.putLong(Double.doubleToRawLongBits(value.value()));
      return type;
    }

    @Override
    public Integer stringValue(StringValue value) {
      Integer type = begin(STRING);
      out.putText(value.value());
      return type;
    }

    @Override
    public Integer durationValue(DurationValue value) {
      Integer type = begin(DURATION);
      out.putZigzag(value.micros());
      return type;
    }

    @Override
    public Integer timestampValue(TimestampValue value) {
      Integer type = begin(TIMESTAMP);
      out.putZigzag(value.packed());
      return type;
    }

    @Override
    public Integer setValue(SetValue value) {
      Integer type = begin(SET);
      out.putVarint(value.elements().size());
      value.elements().forEach(element -> write(element, out));
      return type;
    }

    @Override
    public Integer structValue(StructValue value) {
      Integer type = begin(STRUCT);
      out.putVarint(value.fields().size());
      value
          .fields()
          .forEach(
              (name, field) -> {
                out.putText(name);
                write(field, out);
              });
      return type;
    }
  }

  static Value read(WireReader in) throws CorruptBlockException {
    return read(in, MAX_DEPTH);
  }

  private static Value read(WireReader in, int depth) throws CorruptBlockException {
    int type = in.getByte();
    return switch (type) {
      case NULL -> new NullValue();
      case FALSE -> Value.of(false);
      case TRUE -> Value.of(true);
      case LONG -> Value.of(in.getZigzag());
      case DOUBLE -> Value.of(Double.longBitsToDouble(in.getLong()));
      case STRING -> Value.of(in.getText());
      case DURATION -> new DurationValue(in.getZigzag());
      case TIMESTAMP -> new TimestampValue(in.getZigzag());
      case SET -> new SetValue(elements(in, inner(in, depth)));
      case STRUCT -> new StructValue(fields(in, inner(in, depth)));
      default -> throw in.corrupt("a value of type " + type);
    };
  }

  private static int inner(WireReader in, int depth) throws CorruptBlockException {
    if (depth == 0) {
      throw in.corrupt("values that are nested too deeply");
    }
    return depth - 1;
  }

  private static List<Value> elements(WireReader in, int depth) throws CorruptBlockException {
    int count = in.getCount("elements");
    List<Value> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(read(in, depth));
    }
    return elements;
  }

  private static Map<String, Value> fields(WireReader in, int depth) throws CorruptBlockException {
    int count = in.getCount("fields");
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      fields.put(in.getText(), read(in, depth));
    }
    return fields;
  }
}
