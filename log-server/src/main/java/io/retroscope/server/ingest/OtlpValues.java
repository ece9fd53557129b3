// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.retroscope.event.Value;
import io.retroscope.recordings.document.OtlpJson;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The conversion of OTLP's values in protobuf. */
final class OtlpValues {
  private OtlpValues() {}

  /**
   * The values of attributes by their names, of which the first of each name counts.
   *
   * @throws IllegalArgumentException if a name is not possible in an event
   */
  static Map<String, Value> named(List<KeyValue> attributes) {
    Map<String, Value> named = new LinkedHashMap<>();
    for (KeyValue attribute : attributes) {
      named.putIfAbsent(OtlpJson.checkedName(attribute.getKey()), value(attribute.getValue()));
    }
    return named;
  }

  /** The texts among attributes by their names, whatever the other attributes are. */
  static Map<String, Value> texts(List<KeyValue> attributes) {
    Map<String, Value> texts = new LinkedHashMap<>();
    for (KeyValue attribute : attributes) {
      texts.putIfAbsent(attribute.getKey(), Value.of(attribute.getValue().getStringValue()));
    }
    return texts;
  }

  /** An identifier in hexadecimal digits; empty if it is absent. */
  static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  /**
   * The value that represents an attribute's: arrays are sets, lists of pairs are structs, and
   * bytes are text in hexadecimal digits, as the recorder has them. Protobuf's reader limits the
   * nesting to less than an event's.
   */
  static Value value(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> Value.of(value.getStringValue());
      case BOOL_VALUE -> Value.of(value.getBoolValue());
      case INT_VALUE -> Value.of(value.getIntValue());
      case DOUBLE_VALUE -> Value.of(value.getDoubleValue());
      case BYTES_VALUE -> Value.of(hex(value.getBytesValue()));
      case ARRAY_VALUE -> set(value.getArrayValue().getValuesList());
      case KVLIST_VALUE -> new Value.StructValue(named(value.getKvlistValue().getValuesList()));
      default -> Value.NullValue.NULL;
    };
  }

  private static Value set(List<AnyValue> values) {
    return new Value.SetValue(new ArrayList<>(values.stream().map(OtlpValues::value).toList()));
  }
}
