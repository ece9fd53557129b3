// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.PackedColumn;
import io.retroscope.event.SetColumn;
import io.retroscope.event.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one section that set a variable to values of one type, each at the same place of
 * its row. The arrays must not be changed.
 */
final class VariableSets {
  /** The index of the variable. */
  final int name;

  /** The code of the values' type. */
  final byte type;

  /** The place of each change in its row. */
  final int place;

  /** The rows, ascending, and possibly more; null if there is a change in each row. */
  final int @Nullable [] rows;

  /** The values as the block that is being made has them; null if they are still packed. */
  private final long @Nullable [] values;

  private final PackedColumn packed;

  /**
   * Changes.
   *
   * @param packed their number, and their values unless these are given
   */
  VariableSets(
      int name,
      byte type,
      int place,
      int @Nullable [] rows,
      PackedColumn packed,
      long @Nullable [] values) {
    this.name = name;
    this.type = type;
    this.place = place;
    this.rows = rows;
    this.packed = packed;
    this.values = values;
  }

  /** The number of changes. */
  int size() {
    return packed.size();
  }

  /** The values as the block that is being made has them. */
  long[] values() {
    if (values != null) {
      return values;
    }
    long[] unpacked = new long[packed.size()];
    packed.decode(unpacked);
    return unpacked;
  }

  /**
   * The column of a block, whose rows are some of those here.
   *
   * @param indexes for each row with a change its index in the block; null if that is the same
   */
  SetColumn column(int @Nullable [] indexes) {
    int[] of = rows;
    if (indexes != null && rows != null) {
      of = new int[size()];
      for (int i = 0; i < of.length; i++) {
        of[i] = indexes[rows[i]];
      }
    }
    ValueType ofAll = ValueType.ofCode(type);
    return values == null
        ? new SetColumn(name, ofAll, of, packed)
        : new SetColumn(name, ofAll, of, values);
  }

  /** The row of a change; the number of rows, which is larger than all, after the last one. */
  int row(int change, int rowCount) {
    if (change == size()) {
      return rowCount;
    }
    return rows == null ? change : rows[change];
  }

  /** Adds the number of changes of each row. */
  void count(int[] counts) {
    for (int i = 0; i < size(); i++) {
      counts[rows == null ? i : rows[i]]++;
    }
  }
}
