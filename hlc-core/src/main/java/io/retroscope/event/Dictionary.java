package io.retroscope.event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A mapping of distinct entries to indexes, in order of first appearance. Not thread-safe. */
final class Dictionary<T> {
  private final Map<T, Integer> indexes = new HashMap<>();
  private final List<T> entries = new ArrayList<>();

  int indexOf(T entry) {
    Integer known = indexes.get(entry);
    if (known != null) {
      return known;
    }
    indexes.put(entry, entries.size());
    entries.add(entry);
    return entries.size() - 1;
  }

  void clear() {
    indexes.clear();
    entries.clear();
  }

  List<T> entries() {
    return entries;
  }
}
