// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The few fields of a log line, in their order, in a fraction of a hash table's memory. Immutable
 * and thread-safe.
 */
final class OrderedFields extends AbstractMap<String, Value> {
  /** The number up to which a search from the first one is as fast as a hash table. */
  private static final int MAX_SIZE = 8;

  private final String[] names;
  private final Value[] values;

  private OrderedFields(Map<String, Value> fields) {
    names = new String[fields.size()];
    values = new Value[fields.size()];
    int[] at = {0};
    fields.forEach(
        (name, value) -> {
          names[at[0]] = name;
          values[at[0]++] = value;
        });
  }

  /** A copy that cannot be changed. */
  static Map<String, Value> copyOf(Map<String, Value> fields) {
    if (fields instanceof OrderedFields) {
      return fields;
    }
    return fields.size() <= MAX_SIZE
        ? new OrderedFields(fields)
        : Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  private int indexOf(@Nullable Object name) {
    for (int i = 0; i < names.length; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public int size() {
    return names.length;
  }

  @Override
  public boolean containsKey(@Nullable Object name) {
    return indexOf(name) >= 0;
  }

  @Override
  public @Nullable Value get(@Nullable Object name) {
    int index = indexOf(name);
    return index < 0 ? null : values[index];
  }

  @Override
  public void forEach(BiConsumer<? super String, ? super Value> action) {
    for (int i = 0; i < names.length; i++) {
      action.accept(names[i], values[i]);
    }
  }

  @Override
  public Set<Map.Entry<String, Value>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return names.length;
      }

      @Override
      public Iterator<Map.Entry<String, Value>> iterator() {
        return new Iterator<>() {
          private int at;

          @Override
          public boolean hasNext() {
            return at < names.length;
          }

          @Override
          public Map.Entry<String, Value> next() {
            if (!hasNext()) {
              throw new NoSuchElementException("no more fields");
            }
            return Map.entry(names[at], values[at++]);
          }
        };
      }
    };
  }
}
