package io.retroscope.event;

import java.util.List;

/** What the columns of a block refer to by index. */
record Dictionaries(
    List<String> nodes,
    List<String> logs,
    List<String> names,
    List<String> texts,
    List<Value> nested) {
  static final Dictionaries EMPTY =
      new Dictionaries(List.of(), List.of(), List.of(), List.of(), List.of());

  Dictionaries {
    nodes = List.copyOf(nodes);
    logs = List.copyOf(logs);
    names = List.copyOf(names);
    texts = List.copyOf(texts);
    nested = List.copyOf(nested);
  }

  Dictionaries withoutLastNested() {
    return new Dictionaries(nodes, logs, names, texts, nested.subList(0, nested.size() - 1));
  }
}
