// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.List;
import java.util.Map;

/** The dictionaries that the columns of a block refer to by index. */
record Dictionaries(
    List<String> nodes,
    List<String> logs,
    List<String> names,
    List<String> texts,
    List<Value> nested) {
  /** The size of a text's objects and the reference to them. */
  static final int TEXT_BYTES = 56;

  /** The size of a value's object, the reference to it, and its share of its container. */
  static final int VALUE_BYTES = 48;

  static final Dictionaries EMPTY =
      new Dictionaries(List.of(), List.of(), List.of(), List.of(), List.of());

  Dictionaries {
    nodes = List.copyOf(nodes);
    logs = List.copyOf(logs);
    names = List.copyOf(names);
    texts = List.copyOf(texts);
    nested = List.copyOf(nested);
  }

  /** The approximate memory usage, in bytes. */
  long memoryBytes() {
    long bytes = 0;
    for (List<String> part : List.of(nodes, logs, names, texts)) {
      for (String text : part) {
        bytes += TEXT_BYTES + text.length();
      }
    }
    for (Value value : nested) {
      bytes += memoryBytes(value);
    }
    return bytes;
  }

  private static long memoryBytes(Value value) {
    long bytes = VALUE_BYTES;
    if (value instanceof Value.StringValue text) {
      bytes += TEXT_BYTES + text.value().length();
    } else if (value instanceof Value.SetValue set) {
      for (Value element : set.elements()) {
        bytes += memoryBytes(element);
      }
    } else if (value instanceof Value.StructValue struct) {
      for (Map.Entry<String, Value> field : struct.fields().entrySet()) {
        bytes += TEXT_BYTES + field.getKey().length() + memoryBytes(field.getValue());
      }
    }
    return bytes;
  }

  Dictionaries withoutLastNested() {
    return new Dictionaries(nodes, logs, names, texts, nested.subList(0, nested.size() - 1));
  }
}
