package io.retroscope.event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Gives each distinct entry an index, in the order in which they come. Not thread-safe. */
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
