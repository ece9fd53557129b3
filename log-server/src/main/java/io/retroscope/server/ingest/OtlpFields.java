// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of one event, converted from OTLP, and the memory that they take. */
final class OtlpFields {
  /** The approximate memory of an event without fields, and of a value without its characters. */
  private static final int EVENT_BYTES = 300;

  private static final int VALUE_BYTES = 150;
  private static final int MAX_NAME_LENGTH = 1_000;

  private final Map<String, Value> fields = new LinkedHashMap<>();
  private long sizeBytes = EVENT_BYTES;

  /** Adds a text, unless it is empty. */
  OtlpFields with(String name, String text) {
    if (!text.isEmpty()) {
      fields.put(name, text(text));
    }
    return this;
  }

  /** Adds an identifier in hexadecimal digits, unless it is empty. */
  OtlpFields with(String name, ByteString id) {
    return with(name, hex(id));
  }

  OtlpFields with(String name, Value value) {
    fields.put(name, value);
    sizeBytes += VALUE_BYTES;
    return this;
  }

  /**
   * Adds attributes, of which the first of each name counts, and none has the name of a field.
   *
   * @throws IllegalArgumentException if a name or a value is not possible in an event
   */
  OtlpFields with(List<KeyValue> attributes) {
    for (KeyValue attribute : attributes) {
      String name = attribute.getKey();
      if (!name.equals(OtlpReader.STAMP) && !fields.containsKey(name)) {
        fields.put(checkName(name), value(attribute.getValue()));
      }
    }
    return this;
  }

  Map<String, Value> fields() {
    return fields;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  private String checkName(String name) {
    if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of an attribute has %d characters: 1 to %d are possible"
              .formatted(name.length(), MAX_NAME_LENGTH));
    }
    sizeBytes += VALUE_BYTES + 2L * name.length();
    return name;
  }

  private Value text(String text) {
    sizeBytes += VALUE_BYTES + 2L * text.length();
    return Value.of(text);
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  /**
   * The value that represents an attribute's: arrays are sets, lists of pairs are structs, and
   * bytes are text in hexadecimal digits, as the recorder has them. Protobuf's reader limits the
   * nesting to less than an event's.
   */
  Value value(AnyValue value) {
    sizeBytes += VALUE_BYTES;
    return switch (value.getValueCase()) {
      case STRING_VALUE -> text(value.getStringValue());
      case BOOL_VALUE -> Value.of(value.getBoolValue());
      case INT_VALUE -> Value.of(value.getIntValue());
      case DOUBLE_VALUE -> Value.of(value.getDoubleValue());
      case BYTES_VALUE -> text(hex(value.getBytesValue()));
      case ARRAY_VALUE -> set(value.getArrayValue().getValuesList());
      case KVLIST_VALUE -> struct(value.getKvlistValue().getValuesList());
      default -> Value.NullValue.NULL;
    };
  }

  private Value set(List<AnyValue> values) {
    List<Value> elements = new ArrayList<>();
    for (AnyValue value : values) {
      elements.add(value(value));
    }
    return new Value.SetValue(elements);
  }

  private Value struct(List<KeyValue> pairs) {
    Map<String, Value> members = new LinkedHashMap<>();
    for (KeyValue pair : pairs) {
      members.put(checkName(pair.getKey()), value(pair.getValue()));
    }
    return new Value.StructValue(members);
  }
}
