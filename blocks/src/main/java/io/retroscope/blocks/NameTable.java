// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Names with ids from 0 in the order in which they were added. An id never changes, so blocks refer
 * to names by id. Thread-safe.
 */
public final class NameTable {
  private final Map<String, Integer> ids = new HashMap<>();

  /*
   * Readers resolve an id for each node of each block, so they take no lock: a name is in the array
   * before the size counts it, and a reader of the size then sees an array that is long enough.
   */
  private volatile String[] names = {};
  private volatile int size;

  /** An empty table. */
  public NameTable() {}

  /** The table with the names that {@link #names} returned. */
  public static NameTable of(List<String> names) {
    NameTable table = new NameTable();
    names.forEach(table::idOf);
    if (table.size() != names.size()) {
      throw new IllegalArgumentException("a table with repeated names: " + names);
    }
    return table;
  }

  /** The id of a name, which is added if it is new. */
  public synchronized int idOf(String name) {
    Integer known = ids.putIfAbsent(name, size);
    if (known != null) {
      return known;
    }
    int id = size;
    if (id == names.length) {
      names = Arrays.copyOf(names, Math.max(16, 2 * id));
    }
    names[id] = name;
    size = id + 1;
    return id;
  }

  /** The id of a name, or -1 if it is not in the table. */
  public synchronized int find(String name) {
    return ids.getOrDefault(name, -1);
  }

  /**
   * The name with an id.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public String name(int id) {
    int index = Objects.checkIndex(id, size);
    return names[index];
  }

  /** The number of names. */
  public int size() {
    return size;
  }

  /** A copy of the names in the order of their ids. */
  public synchronized List<String> names() {
    return List.of(Arrays.copyOf(names, size));
  }
}
