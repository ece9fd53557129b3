// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one entry after the other, in the order in which they were first set. Used by one
 * thread.
 */
final class EntryFields extends AbstractMap<String, Value> {
  /** So few that a search from the first one is the fastest. */
  private static final int FEW = 12;

  private String[] names = new String[FEW];
  private Value[] values = new Value[FEW];
  private int size;

  /** The places of names; empty as long as there are few. */
  private final Map<String, Integer> places = new HashMap<>();

  @Override
  public @Nullable Value put(String name, Value value) {
    int place = placeOf(name);
    if (place >= 0) {
      Value before = values[place];
      values[place] = value;
      return before;
    }
    if (size == names.length) {
      names = Arrays.copyOf(names, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    names[size] = name;
    values[size] = value;
    size++;
    if (size > FEW) {
      for (int i = places.size(); i < size; i++) {
        places.put(names[i], i);
      }
    }
    return null;
  }

  private int placeOf(@Nullable Object name) {
    if (size > FEW) {
      return name instanceof String text ? places.getOrDefault(text, -1) : -1;
    }
    for (int i = 0; i < size; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public void clear() {
    size = 0;
    if (!places.isEmpty()) {
      places.clear();
      names = new String[FEW];
      values = new Value[FEW];
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public @Nullable Value get(@Nullable Object name) {
    int place = placeOf(name);
    return place < 0 ? null : values[place];
  }

  @Override
  public boolean containsKey(@Nullable Object name) {
    return placeOf(name) >= 0;
  }

  @Override
  public void forEach(BiConsumer<? super String, ? super Value> action) {
    for (int i = 0; i < size; i++) {
      action.accept(names[i], values[i]);
    }
  }

  @Override
  public Set<Map.Entry<String, Value>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return size;
      }

      @Override
      public Iterator<Map.Entry<String, Value>> iterator() {
        return new Iterator<>() {
          private int at;

          @Override
          public boolean hasNext() {
            return at < size;
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
