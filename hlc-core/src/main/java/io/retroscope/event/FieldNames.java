// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.event.Value.StructValue;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The names of the fields of many structs, which share them: a struct is only an array of values
 * then. Immutable.
 */
public final class FieldNames {
  private final String[] names;
  private final Map<String, Integer> places;

  /**
   * The names of fields, in the order in which they are printed.
   *
   * @throws IllegalArgumentException if two are equal
   */
  public FieldNames(List<String> names) {
    this.names = names.toArray(String[]::new);
    places = new HashMap<>(2 * this.names.length);
    for (int i = 0; i < this.names.length; i++) {
      if (places.put(this.names[i], i) != null) {
        throw new IllegalArgumentException("two fields are named " + this.names[i]);
      }
    }
  }

  /**
   * Returns a struct with these fields.
   *
   * @param values copied; one for each field and in the same order, then any others
   * @throws IllegalArgumentException if there are fewer values than fields
   */
  public StructValue struct(Value[] values) {
    if (values.length < names.length) {
      throw new IllegalArgumentException(values.length + " values of " + names.length + " fields");
    }
    return new StructValue(new Fields(this, Arrays.copyOf(values, names.length)));
  }

  /** The fields of one struct. Immutable. */
  static final class Fields extends AbstractMap<String, Value> {
    private final FieldNames shared;
    private final Value[] values;

    private Fields(FieldNames shared, Value[] values) {
      this.shared = shared;
      this.values = values;
    }

    @Override
    public int size() {
      return values.length;
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
      return shared.places.containsKey(name);
    }

    @Override
    public @Nullable Value get(@Nullable Object name) {
      Integer place = shared.places.get(name);
      return place == null ? null : values[place];
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super Value> action) {
      for (int i = 0; i < values.length; i++) {
        action.accept(shared.names[i], values[i]);
      }
    }

    @Override
    public Set<Entry<String, Value>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public int size() {
          return values.length;
        }

        @Override
        public Iterator<Entry<String, Value>> iterator() {
          return new Entries(Fields.this);
        }
      };
    }
  }

  private static final class Entries implements Iterator<Map.Entry<String, Value>> {
    private final Fields fields;
    private int next;

    Entries(Fields fields) {
      this.fields = fields;
    }

    @Override
    public boolean hasNext() {
      return next < fields.values.length;
    }

    @Override
    public Map.Entry<String, Value> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int place = next++;
      return Map.entry(fields.shared.names[place], fields.values[place]);
    }
  }
}
