// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/**
 * The rows of blocks that each set one variable to a LONG, one block after the other, for code that
 * handles them in bulk. The arrays may be longer than the number of rows. Used by one thread.
 */
public final class LongColumns {
  private final long[] hlc;
  private final long[] physical;
  private final long[] sequence;
  private final long[] numbers;
  private final int[] nodes;
  private final int[] names;
  private int size;

  /**
   * Columns without rows.
   *
   * @param capacity the largest number of rows, 0 or more
   */
  public LongColumns(int capacity) {
    hlc = new long[capacity];
    physical = new long[capacity];
    sequence = new long[capacity];
    numbers = new long[capacity];
    nodes = new int[capacity];
    names = new int[capacity];
  }

  /**
   * Adds rows of a block.
   *
   * @param from the first row
   * @param to the row after the last one
   * @param nodeTable for each of the block's nodes what {@link #nodes} has for it
   * @param nameTable for each of the block's variables what {@link #names} has for it
   * @throws IllegalArgumentException if the block does anything but {@linkplain
   *     EventBlock#writesLongsOnly() set LONGs}
   * @throws IndexOutOfBoundsException if there are too many rows
   */
  public void add(EventBlock block, int from, int to, int[] nodeTable, int[] nameTable) {
    if (!block.writesLongsOnly()) {
      throw new IllegalArgumentException("rows that do not each set a LONG: " + block);
    }
    BlockColumns columns = block.columns();
    int count = to - from;
    System.arraycopy(columns.hlc, from, hlc, size, count);
    System.arraycopy(columns.bits, from, numbers, size, count);
    columns.copyPhysical(from, count, physical, size);
    columns.copySequences(from, count, sequence, size);
    translate(columns.node, from, count, nodeTable, nodes, size);
    translate(columns.name, from, count, nameTable, names, size);
    size += count;
  }

  private static void translate(int[] from, int start, int count, int[] table, int[] to, int at) {
    for (int i = 0; i < count; i++) {
      to[at + i] = table[from[start + i]];
    }
  }

  /** The number of rows. */
  public int size() {
    return size;
  }

  /** The packed stamps. */
  public long[] hlc() {
    return hlc;
  }

  /** The raw physical readings in microseconds, or {@link Event#NO_PHYSICAL}. */
  public long[] physicalMicros() {
    return physical;
  }

  /** The sequence numbers, or {@link Event#NO_SEQUENCE}. */
  public long[] sequences() {
    return sequence;
  }

  /** The values. */
  public long[] numbers() {
    return numbers;
  }

  /** The entries of the rows' nodes in the tables. */
  public int[] nodes() {
    return nodes;
  }

  /** The entries of the rows' variables in the tables. */
  public int[] names() {
    return names;
  }
}
