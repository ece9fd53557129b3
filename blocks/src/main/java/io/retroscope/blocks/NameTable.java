package io.retroscope.blocks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Names with ids from 0 in the order in which they were added. An id never changes, so blocks refer
 * to names by id. Thread-safe.
 */
public final class NameTable {
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> names = new ArrayList<>();

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
    Integer known = ids.putIfAbsent(name, names.size());
    if (known != null) {
      return known;
    }
    names.add(name);
    return names.size() - 1;
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
  public synchronized String name(int id) {
    return names.get(id);
  }

  /** The number of names. */
  public synchronized int size() {
    return names.size();
  }

  /** A copy of the names in the order of their ids. */
  public synchronized List<String> names() {
    return List.copyOf(names);
  }
}
