package io.retroscope.blocks;

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

  /** The rows, ascending; null if there is a change in each row. */
  final int @Nullable [] rows;

  /** The values as the block that is being made holds them. */
  final long[] values;

  VariableSets(int name, byte type, int place, int @Nullable [] rows, long[] values) {
    this.name = name;
    this.type = type;
    this.place = place;
    this.rows = rows;
    this.values = values;
  }

  /**
   * The column of a block, whose rows are some of those here.
   *
   * @param indexes for each row with a change its index in the block; null if that is the same
   */
  SetColumn column(int @Nullable [] indexes) {
    int[] of = rows;
    if (indexes != null && rows != null) {
      of = new int[rows.length];
      for (int i = 0; i < of.length; i++) {
        of[i] = indexes[rows[i]];
      }
    }
    return new SetColumn(name, ValueType.ofCode(type), of, values);
  }

  /** The row of a change; the number of rows, which is larger than all, after the last one. */
  int row(int change, int rowCount) {
    if (change == values.length) {
      return rowCount;
    }
    return rows == null ? change : rows[change];
  }

  /** Adds the number of changes of each row. */
  void count(int[] counts) {
    for (int i = 0; i < values.length; i++) {
      counts[rows == null ? i : rows[i]]++;
    }
  }
}
