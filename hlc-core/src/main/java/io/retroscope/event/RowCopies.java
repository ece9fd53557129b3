package io.retroscope.event;

import java.util.Arrays;

/**
 * Copies of the columns of consecutive rows of a block, for loops that the compiler can keep in
 * registers. Used by one thread.
 */
public final class RowCopies {
  /** The code of a change that sets a variable is that of its type. */
  public static final int SETS = EventBody.Operation.SET.code() << 3;

  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();

  /** The columns that are the same in all blocks whose rows each set a LONG; never written. */
  private static final class SetsOfLongs {
    static final int[] ENDS = new int[EventBlock.MAX_EVENTS];
    static final byte[] CODES = new byte[EventBlock.MAX_EVENTS];

    static {
      Arrays.setAll(ENDS, row -> row + 1);
      Arrays.fill(CODES, (byte) (SETS | ValueType.LONG.code()));
    }
  }

  private int size;
  private boolean areLongs;
  private int firstChange;
  private long[] stamps = {};
  private int[] nodes = {};
  private int[] logs = {};
  private int[] ends = {};
  private int[] names = {};
  private byte[] codes = {};
  private long[] bits = {};

  /** Creates copies of no rows. */
  public RowCopies() {}

  /**
   * Copies rows as far as they are state changes without one of some marks.
   *
   * @param marks the sum of {@link EventMark#bit} of these marks
   * @return the number of rows copied
   */
  public int copy(EventBlock block, int row, int count, int marks) {
    BlockColumns from = block.columns();
    areLongs = block.writesLongsOnly();
    size = areLongs ? count : plain(from.kind, from.marks, row, row + count, marks) - row;
    if (size == 0) {
      return 0;
    }
    ensureRows(size);
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

  private static int plain(byte[] kinds, byte[] marked, int row, int end, int marks) {
    int at = row;
    while (at < end && kinds[at] == STATE_CHANGE && (marked[at] & marks) == 0) {
      at++;
    }
    return at;
  }

  private void ensureRows(int count) {
    if (stamps.length < count) {
      stamps = new long[count];
      nodes = new int[count];
      logs = new int[count];
      ends = new int[count];
    }
  }

  private void ensureChanges(int count) {
    if (names.length < count) {
      names = new int[count];
      codes = new byte[count];
      bits = new long[count];
    }
  }

  /** Whether each row that was copied has one change, whose index then is that of the row. */
  public boolean areSingle() {
    int other = 0;
    for (int i = 0; i < size && !areLongs; i++) {
      other |= ends[i] ^ (i + 1);
    }
    return other == 0;
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
