package io.retroscope.event;

import java.util.List;
import java.util.Map;

/** What the columns of a block refer to by index. */
record Dictionaries(
    List<String> nodes,
    List<String> logs,
    List<String> names,
    List<String> texts,
    List<Value> nested) {
  /** A text's objects and the reference to them. */
  static final int TEXT_BYTES = 56;

  /** A value's object, the reference to it, and its share of what holds it. */
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

  /** Roughly how much memory they take, in bytes. */
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
