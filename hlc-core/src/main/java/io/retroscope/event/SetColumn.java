// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The changes of a block that set one variable to values of one type. Immutable. */
public final class SetColumn {
  /** The number of entries that {@link #copy} may fill with useless values after all changes. */
  public static final int SLACK = 2 * PackedColumn.RUN;

  private static final long[] NONE = {};

  final int variable;
  final byte type;
  private final int size;
  private final int @Nullable [] rows;
  private final long[] bits;

  /** In place of the bits, if these are unpacked for the rows that are copied. */
  private final @Nullable PackedColumn packed;

  /**
   * A column. The arrays belong to it from now on.
   *
   * @param variable the index of the variable in {@link EventBlock#variables}
   * @param rows the row of each change, ascending; null if there is one in each row
   * @param bits the value of each change, as described in {@link ValueType}
   */
  public SetColumn(int variable, ValueType type, int @Nullable [] rows, long[] bits) {
    this(variable, type, rows, bits, bits.length);
  }

  /** A column of the first of some values. */
  SetColumn(int variable, ValueType type, int @Nullable [] rows, long[] bits, int size) {
    this.variable = variable;
    this.type = type.code();
    this.rows = rows;
    this.bits = bits;
    this.size = size;
    packed = null;
  }

  /**
   * A column whose values are unpacked whenever they are needed, which takes less time and memory
   * if all of them are needed once. The array belongs to it from now on.
   *
   * @param type of which all bits are values
   * @param rows the row of each change, ascending, and possibly more; null if there is one in each
   *     row
   */
  public SetColumn(int variable, ValueType type, int @Nullable [] rows, PackedColumn bits) {
    this.variable = variable;
    this.type = type.code();
    this.rows = rows;
    this.bits = NONE;
    size = bits.size();
    packed = bits;
  }

  /** The index of the variable in {@link EventBlock#variables}. */
  public int variable() {
    return variable;
  }

  /** The type of all values. */
  public ValueType type() {
    return ValueType.ofCode(type);
  }

  /** Whether there is a change in each row. */
  public boolean isInEachRow() {
    return rows == null;
  }

  int size() {
    return size;
  }

  /** The number of changes in some rows. */
  public int count(int row, int rowCount) {
    return firstAt(row + rowCount) - firstAt(row);
  }

  /** The value of each change; must not be changed. */
  long[] bits() {
    if (packed == null) {
      return bits;
    }
    long[] all = new long[size];
    packed.decode(all);
    return all;
  }

  /** The row of a change. */
  int row(int change) {
    return rows == null ? change : rows[change];
  }

  /** The first change at or after a row. */
  private int firstAt(int row) {
    if (rows == null) {
      return Math.min(row, size);
    }
    int found = Arrays.binarySearch(rows, 0, size, row);
    return found < 0 ? -found - 1 : found;
  }

  /**
   * Copies the changes of some rows of a block, which has this column.
   *
   * @param nodeIds for each {@link EventBlock#nodeIndex} what is copied in its place
   * @param values the bits of each change; {@link #SLACK} longer than rows
   * @param places the row of each change, counted from the first of these rows; not filled if
   *     {@link #isInEachRow}
   * @param stamps the packed stamp of each change
   * @param nodes the node of each change
   * @return the number of changes
   */
  public int copy(
      EventBlock block,
      int row,
      int rowCount,
      int[] nodeIds,
      long[] values,
      int[] places,
      long[] stamps,
      int[] nodes) {
    int first = firstAt(row);
    int count = firstAt(row + rowCount) - first;
    if (packed == null) {
      System.arraycopy(bits, first, values, 0, count);
    } else {
      packed.decode(first, count, values);
    }
    if (rows == null) {
      block.copyStamps(row, count, stamps, 0);
      block.copyNodes(row, count, nodeIds, nodes, 0);
    } else {
      BlockColumns heads = block.heads();
      copyOfRows(rows, first, count, heads.hlc, heads.node, nodeIds, stamps, nodes);
      subtract(rows, first, count, row, places);
    }
    return count;
  }

  private static void copyOfRows(
      int[] rows,
      int first,
      int count,
      long[] fromStamps,
      int[] fromNodes,
      int[] nodeIds,
      long[] stamps,
      int[] nodes) {
    for (int i = 0; i < count; i++) {
      int row = rows[first + i];
      stamps[i] = fromStamps[row];
      nodes[i] = nodeIds[fromNodes[row]];
    }
  }

  private static void subtract(int[] from, int first, int count, int less, int[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[first + i] - less;
    }
  }
}
