// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A mapping of distinct entries to indexes, in order of first appearance. Not thread-safe. */
final class Dictionary<T> {
  /*
   * The names and usual values of a block come again and again, mostly as the same objects. Those
   * seen last are found by their place in an array, without a search in the memory of the map.
   */

  private static final int RECENT = 256;

  private final @Nullable Object[] recent = new Object[RECENT];
  private final int[] recentIndexes = new int[RECENT];
  private final Map<T, Integer> indexes = new HashMap<>();
  private final List<T> entries = new ArrayList<>();

  int indexOf(T entry) {
    int hash = entry.hashCode();
    int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & (RECENT - 1);
    if (recent[slot] == entry) {
      return recentIndexes[slot];
    }
    int index = find(entry);
    recent[slot] = entry;
    recentIndexes[slot] = index;
    return index;
  }

  private int find(T entry) {
    Integer known = indexes.get(entry);
    if (known != null) {
      return known;
    }
    indexes.put(entry, entries.size());
    return add(entry);
  }

  /** Adds an entry that will not be found by {@link #indexOf}; returns its index. */
  int add(T entry) {
    entries.add(entry);
    return entries.size() - 1;
  }

  void clear() {
    Arrays.fill(recent, null);
    indexes.clear();
    entries.clear();
  }

  List<T> entries() {
    return entries;
  }
}
