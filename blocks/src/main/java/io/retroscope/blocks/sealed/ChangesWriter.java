// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.read.Changes;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.NestedValues;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireWriter;
import java.util.Arrays;

/** The writer of a section that {@link Changes} reads. Used by one thread. */
final class ChangesWriter {
  private final RowBuffer from;
  private final boolean shared;
  private final long[] rows;
  private final long[] places;
  private final long[] operations;
  private final long[] types;
  private final long[] names;
  private final long[] bits;
  private final LocalIndexes texts;
  private final LocalIndexes nested = new LocalIndexes(0);
  private int size;

  ChangesWriter(RowBuffer from, int capacity, boolean shared) {
    this.from = from;
    this.shared = shared;
    rows = new long[capacity];
    places = new long[capacity];
    operations = new long[capacity];
    types = new long[capacity];
    names = new long[shared ? capacity : 0];
    bits = new long[capacity];
    texts = new LocalIndexes(Math.min(capacity, from.textCount()));
  }

  void add(int row, int change) {
    rows[size] = row;
    places[size] = (long) change - from.changeStart[row];
    operations[size] = from.operation[change];
    types[size] = from.type[change];
    if (shared) {
      boolean isText = from.kind(row) != EventKind.STATE_CHANGE;
      names[size] = isText ? fieldName(from.name[change]) : from.name[change];
    }
    bits[size] =
        switch (ValueType.ofCode(from.type[change])) {
          case NULL, BOOLEAN, LONG, DOUBLE -> from.bits[change];
          case STRING -> texts.of(from.bits[change]);
          case NESTED -> nested.of(from.bits[change]);
        };
    size++;
  }

  private long fieldName(int name) {
    return name < 0 ? 0 : 1L + texts.of(name);
  }

  void write(int rowCount, WireWriter out) {
    out.putVarint(size);
    out.putVarint(texts.size());
    for (int i = 0; i < texts.size(); i++) {
      out.putText(from.text(texts.entry(i)));
    }
    out.putVarint(nested.size());
    for (int i = 0; i < nested.size(); i++) {
      NestedValues.write(from.nested(nested.entry(i)), out);
    }
    boolean everyRow = isEveryRow(rowCount);
    out.putByte(everyRow ? 1 : 0);
    if (!everyRow) {
      PackedColumn.write(rows, size, out);
    }
    PackedColumn.write(places, size, out);
    PackedColumn.write(operations, size, out);
    PackedColumn.write(types, size, out);
    if (shared) {
      PackedColumn.write(names, size, out);
    }
    PackedColumn.write(bits, size, out);
  }

  private boolean isEveryRow(int rowCount) {
    for (int i = 0; i < size; i++) {
      if (rows[i] != i) {
        return false;
      }
    }
    return size == rowCount;
  }

  /** Writes the section of a variable that each row sets to a LONG. */
  static void writeLongs(long[] numbers, int size, WireWriter out) {
    out.putVarint(size);
    out.putVarint(0);
    out.putVarint(0);
    out.putByte(1);
    PackedColumn.writeConstant(0, size, out);
    PackedColumn.writeConstant(Operation.SET.code(), size, out);
    PackedColumn.writeConstant(ValueType.LONG.code(), size, out);
    PackedColumn.write(numbers, size, out);
  }

  /** Indexes in the order of first use. */
  private static final class LocalIndexes {
    private static final int SPREAD = 0x9E3779B9;

    private static final int LEAST = 8;

    private int[] entries;
    private int size;

    /** A hash table of the places of entries, each plus 1; at most half of it is used. */
    private int[] places;

    LocalIndexes(int expected) {
      entries = new int[Math.max(LEAST, Integer.highestOneBit(expected) * 2)];
      places = new int[2 * entries.length];
    }

    int of(long index) {
      int entry = (int) index;
      int at = slot(entry);
      if (places[at] > 0) {
        return places[at] - 1;
      }
      if (size == entries.length) {
        grow();
        at = slot(entry);
      }
      entries[size++] = entry;
      places[at] = size;
      return size - 1;
    }

    /** The slot that has an entry, or the free one in which to put it. */
    private int slot(int entry) {
      int last = places.length - 1;
      int at = (entry * SPREAD) >>> Integer.numberOfLeadingZeros(last);
      while (places[at] > 0 && entries[places[at] - 1] != entry) {
        at = (at + 1) & last;
      }
      return at;
    }

    private void grow() {
      entries = Arrays.copyOf(entries, 2 * size);
      places = new int[4 * size];
      for (int i = 0; i < size; i++) {
        places[slot(entries[i])] = i + 1;
      }
    }

    int size() {
      return size;
    }

    int entry(int place) {
      return entries[place];
    }
  }
}
