// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.Arrays;

/**
 * Copies of the columns of consecutive rows of a block, for loops that the compiler can keep in
 * registers. Used by one thread.
 */
public final class RowCopies {
  /** The code of a change that sets a variable is that of its type. */
  public static final int SETS = EventBody.Operation.SET.code() << 3;

  /** The kind of state changes, for {@link #copy}. */
  public static final int STATE_CHANGES = bit(EventKind.STATE_CHANGE);

  /** The kinds of log lines and messages, likewise. */
  public static final int LINES =
      bit(EventKind.LOG_LINE) | bit(EventKind.SEND) | bit(EventKind.RECEIVE);

  /** The columns that are the same in all blocks whose rows each set a LONG; never written. */
  private static final class SetsOfLongs {
    static final int[] ROWS = new int[EventBlock.MAX_EVENTS];
    static final int[] ENDS = new int[EventBlock.MAX_EVENTS];
    static final byte[] CODES = new byte[EventBlock.MAX_EVENTS];

    static {
      Arrays.setAll(ROWS, row -> row);
      Arrays.setAll(ENDS, row -> row + 1);
      Arrays.fill(CODES, (byte) (SETS | ValueType.LONG.code()));
    }
  }

  private int size;
  private boolean areLongs;
  private int lineCount;
  private int firstChange;
  private long[] stamps = {};
  private int[] nodes = {};
  private int[] logs = {};
  private int[] ends = {};
  private int[] lines = {};
  private int[] rows = {};
  private int[] names = {};
  private byte[] codes = {};
  private long[] bits = {};

  /** Creates copies of no rows. */
  public RowCopies() {}

  private static int bit(EventKind kind) {
    return 1 << kind.code();
  }

  /**
   * Copies rows as far as they are of some kinds and without some marks.
   *
   * @param kinds sums of {@link #STATE_CHANGES} and {@link #LINES}
   * @param marks the sum of {@link EventMark#bit} of these marks
   * @return the number of rows copied
   */
  public int copy(EventBlock block, int row, int count, int kinds, int marks) {
    BlockColumns from = block.columns();
    ensureRows(count);
    areLongs = block.writesLongsOnly();
    lineCount = 0;
    size = areLongs ? count : plain(from, row, row + count, kinds, marks) - row;
    if (size == 0) {
      return 0;
    }
    System.arraycopy(from.hlc, row, stamps, 0, size);
    System.arraycopy(from.node, row, nodes, 0, size);
    System.arraycopy(from.log, row, logs, 0, size);
    firstChange = from.changeStart[row];
    int changes = from.changeStart[row + size] - firstChange;
    ensureChanges(changes);
    System.arraycopy(from.name, firstChange, names, 0, changes);
    System.arraycopy(from.bits, firstChange, bits, 0, changes);
    if (!areLongs) {
      copyEnds(from, row);
      copyCodes(from, changes);
    }
    return size;
  }

  private void copyEnds(BlockColumns from, int row) {
    for (int i = 0; i < size; i++) {
      ends[i] = from.changeStart[row + i + 1] - firstChange;
    }
  }

  private void copyCodes(BlockColumns from, int changes) {
    for (int i = 0; i < changes; i++) {
      codes[i] = (byte) ((from.operation[firstChange + i] << 3) | from.type[firstChange + i]);
    }
  }

  private int plain(BlockColumns from, int row, int end, int kinds, int marks) {
    int at = row;
    for (; at < end; at++) {
      int kind = 1 << from.kind[at];
      if ((kind & kinds) == 0 || (from.marks[at] & marks) != 0) {
        break;
      }
      lines[lineCount] = at - row;
      lineCount += (kind & LINES) == 0 ? 0 : 1;
    }
    return at;
  }

  private void ensureRows(int count) {
    if (stamps.length < count) {
      stamps = new long[count];
      nodes = new int[count];
      logs = new int[count];
      ends = new int[count];
      lines = new int[count];
    }
  }

  private void ensureChanges(int count) {
    if (names.length < count) {
      names = new int[count];
      rows = new int[count];
      codes = new byte[count];
      bits = new long[count];
    }
  }

  /** The number of rows that are no state changes. */
  public int lineCount() {
    return lineCount;
  }

  /** The rows that are no state changes, ascending. */
  public int[] lines() {
    return lines;
  }

  /** The number of changes. */
  public int changeCount() {
    return size == 0 ? 0 : ends()[size - 1];
  }

  /** Finds, for each change, its row. */
  public int[] rows() {
    if (areLongs) {
      return SetsOfLongs.ROWS;
    }
    int change = 0;
    for (int row = 0; row < size; row++) {
      for (; change < ends[row]; change++) {
        rows[change] = row;
      }
    }
    return rows;
  }

  /** Whether each row of the block does nothing but set a variable to a LONG. */
  public boolean areLongs() {
    return areLongs;
  }

  /** The packed stamps. */
  public long[] stamps() {
    return stamps;
  }

  /** The indexes of the nodes. */
  public int[] nodes() {
    return nodes;
  }

  /** The indexes of the logs. */
  public int[] logs() {
    return logs;
  }

  /** The index in the block of the first change, from which those in the columns count. */
  public int firstChange() {
    return firstChange;
  }

  /** For each row, the index after its last change; its first one is that after the row before. */
  public int[] ends() {
    return areLongs ? SetsOfLongs.ENDS : ends;
  }

  /** For each change, the index of its variable. */
  public int[] names() {
    return names;
  }

  /** For each change, its type's code plus {@link #SETS}, or another code. */
  public byte[] codes() {
    return areLongs ? SetsOfLongs.CODES : codes;
  }

  /** The bits of the changes. */
  public long[] bits() {
    return bits;
  }
}
