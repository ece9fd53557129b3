// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.OrderedRows;
import java.util.Arrays;

/**
 * The changes of a sealed block's rows, which come from several sections and are put into the order
 * of their rows and of their places in each row. Used by one thread.
 */
final class RowChanges {
  /*
   * Each row has a range of the columns, whose length is counted first. A section adds its change
   * after those that the row has already. The sections mostly come in the order of the places; a row
   * where they do not is sorted at the end.
   */

  /** For each row the index of its first change, and after these the number of all. */
  private final int[] starts;

  private final int[] next;
  private final int[] places;
  private final OrderedRows.Changes columns;

  /**
   * No changes yet.
   *
   * @param counts the number of changes of each row; belongs to this object from now on
   */
  RowChanges(int[] counts) {
    starts = new int[counts.length + 1];
    next = counts;
    int count = 0;
    for (int row = 0; row < next.length; row++) {
      int own = counts[row];
      starts[row] = count;
      next[row] = count;
      count += own;
    }
    starts[next.length] = count;
    places = new int[count];
    columns = new OrderedRows.Changes(count);
  }

  /** For each row the index of its first change, and after these the number of all. */
  int[] starts() {
    return starts;
  }

  OrderedRows.Changes columns() {
    return columns;
  }

  void add(VariableSets from) {
    long[] values = from.values();
    for (int i = 0; i < values.length; i++) {
      int at = place(from.row(i, next.length), from.place);
      columns.names()[at] = from.name;
      columns.types()[at] = from.type;
      columns.bits()[at] = values[i];
    }
  }

  void add(NamedChanges from) {
    for (int i = 0; i < from.size(); i++) {
      if (from.isWanted(i)) {
        from.put(i, place(from.row(i), from.place(i)), columns);
      }
    }
  }

  private int place(int row, int place) {
    int at = next[row]++;
    places[at] = place;
    return at;
  }

  /**
   * Puts the changes of each row in the order of their places.
   *
   * @param complete whether each row must have all places from 0
   * @throws CorruptBlockException if a place is missing, or there twice
   */
  void order(boolean complete) throws CorruptBlockException {
    for (int row = 0; row < next.length; row++) {
      int from = starts[row];
      int to = starts[row + 1];
      if (!ascends(from, to)) {
        sort(from, to);
      }
      boolean isWhole = from == to || !complete || places[to - 1] == to - from - 1;
      if (!isWhole || !ascends(from, to)) {
        throw new CorruptBlockException(
            0, "row %d of a sealed block lacks one of %d changes".formatted(row, to - from));
      }
    }
  }

  private boolean ascends(int from, int to) {
    for (int at = from + 1; at < to; at++) {
      if (places[at] <= places[at - 1]) {
        return false;
      }
    }
    return true;
  }

  private void sort(int from, int to) {
    long[] keys = new long[to - from];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = (long) places[from + i] << Integer.SIZE | i;
    }
    Arrays.sort(keys);
    byte[] operations = Arrays.copyOfRange(columns.operations(), from, to);
    int[] names = Arrays.copyOfRange(columns.names(), from, to);
    byte[] types = Arrays.copyOfRange(columns.types(), from, to);
    long[] bits = Arrays.copyOfRange(columns.bits(), from, to);
    for (int i = 0; i < keys.length; i++) {
      int source = (int) keys[i];
      places[from + i] = (int) (keys[i] >>> Integer.SIZE);
      columns.operations()[from + i] = operations[source];
      columns.names()[from + i] = names[source];
      columns.types()[from + i] = types[source];
      columns.bits()[from + i] = bits[source];
    }
  }
}
