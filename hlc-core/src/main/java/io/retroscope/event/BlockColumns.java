// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of a block, with a capacity for events and changes. Filled by the code that builds the
 * block, and never exposed outside this package.
 */
final class BlockColumns {
  static final int MARKS_MASK = (1 << EventMark.values().length) - 1;

  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();
  private static final int SET = EventBody.Operation.SET.code();
  private static final int LONG = ValueType.LONG.code();

  /* One entry per event; changeStart has one more. */
  final long[] hlc;
  final long[] physical;
  final long[] sequence;
  final byte[] kind;
  final byte[] marks;
  final int[] node;
  final int[] log;
  final int[] changeStart;

  /* One entry per change. */
  final byte[] operation;
  final int[] name;
  final byte[] type;
  final long[] bits;

  /* In place of the arrays above, if they are decoded late. */
  private final @Nullable IntToLongFunction latePhysical;
  private final @Nullable IntToLongFunction lateSequence;

  BlockColumns(int maxEvents, int maxChanges) {
    hlc = new long[maxEvents];
    physical = new long[maxEvents];
    sequence = new long[maxEvents];
    kind = new byte[maxEvents];
    marks = new byte[maxEvents];
    node = new int[maxEvents];
    log = new int[maxEvents];
    changeStart = new int[maxEvents + 1];
    operation = new byte[maxChanges];
    name = new int[maxChanges];
    type = new byte[maxChanges];
    bits = new long[maxChanges];
    latePhysical = null;
    lateSequence = null;
  }

  /** The columns that a reader has decoded. The arrays are not copied. */
  BlockColumns(
      long[] hlc,
      int[] node,
      long[] physical,
      long[] sequence,
      byte[] kind,
      byte[] marks,
      int[] log,
      int[] changeStart,
      OrderedRows.Changes changes) {
    this.hlc = hlc;
    this.node = node;
    this.physical = physical;
    this.sequence = sequence;
    this.kind = kind;
    this.marks = marks;
    this.log = log;
    this.changeStart = changeStart;
    operation = changes.operations;
    name = changes.names;
    type = changes.types;
    bits = changes.bits;
    latePhysical = null;
    lateSequence = null;
  }

  /**
   * The columns of rows. The arrays are not copied.
   *
   * @param physical finds the value of a row when it is needed; by any thread
   * @param sequence likewise
   */
  BlockColumns(
      OrderedRows.Heads rows,
      OrderedRows.Changes changes,
      IntToLongFunction physical,
      IntToLongFunction sequence) {
    hlc = rows.hlc;
    node = rows.runs;
    kind = rows.kinds == null ? SetsOfLongs.KINDS : rows.kinds;
    marks = rows.marks == null ? SetsOfLongs.ZERO_BYTES : rows.marks;
    log = rows.logs == null ? SetsOfLongs.ZEROS : rows.logs;
    changeStart = rows.changeStarts;
    operation = changes.operations;
    name = changes.names;
    type = changes.types;
    bits = changes.bits;
    this.physical = new long[0];
    this.sequence = new long[0];
    latePhysical = physical;
    lateSequence = sequence;
  }

  /** The same rows with their changes, in place of none. */
  BlockColumns with(int[] changeStarts, OrderedRows.Changes changes) {
    OrderedRows.Heads rows = new OrderedRows.Heads(hlc, node, changeStarts).are(kind, marks, log);
    return new BlockColumns(rows, changes, this::physical, this::sequence);
  }

  /**
   * The columns of rows that each set one variable. The arrays are not copied.
   *
   * @param name null if all are the first
   * @param type null if all are LONGs
   * @param physical finds the value of a row when it is needed; by any thread
   * @param sequence likewise
   */
  BlockColumns(
      long[] hlc,
      int[] node,
      int @Nullable [] name,
      byte @Nullable [] type,
      long[] bits,
      IntToLongFunction physical,
      IntToLongFunction sequence) {
    this.hlc = hlc;
    this.node = node;
    this.name = name == null ? SetsOfLongs.ZEROS : name;
    this.bits = bits;
    this.physical = new long[0];
    this.sequence = new long[0];
    latePhysical = physical;
    lateSequence = sequence;
    kind = SetsOfLongs.KINDS;
    marks = SetsOfLongs.ZERO_BYTES;
    log = SetsOfLongs.ZEROS;
    changeStart = SetsOfLongs.CHANGE_STARTS;
    operation = SetsOfLongs.OPERATIONS;
    this.type = type == null ? SetsOfLongs.TYPES : type;
  }

  /** The columns that are the same in all blocks of rows that set one variable; never written. */
  static final class SetsOfLongs {
    static final byte[] KINDS = filled(STATE_CHANGE);
    static final byte[] OPERATIONS = filled(SET);
    static final byte[] TYPES = filled(LONG);
    static final byte[] ZERO_BYTES = new byte[EventBlock.MAX_EVENTS];
    static final int[] ZEROS = new int[EventBlock.MAX_EVENTS];
    static final int[] CHANGE_STARTS = new int[EventBlock.MAX_EVENTS + 1];

    static {
      Arrays.setAll(CHANGE_STARTS, row -> row);
    }

    private static byte[] filled(int code) {
      byte[] column = new byte[EventBlock.MAX_EVENTS];
      Arrays.fill(column, (byte) code);
      return column;
    }
  }

  long physical(int row) {
    return latePhysical == null ? physical[row] : latePhysical.applyAsLong(row);
  }

  long sequence(int row) {
    return lateSequence == null ? sequence[row] : lateSequence.applyAsLong(row);
  }

  void copyPhysical(int row, int count, long[] to, int at) {
    copy(physical, latePhysical, row, count, to, at);
  }

  void copySequences(int row, int count, long[] to, int at) {
    copy(sequence, lateSequence, row, count, to, at);
  }

  private static void copy(
      long[] column, @Nullable IntToLongFunction late, int row, int count, long[] to, int at) {
    if (late == null) {
      System.arraycopy(column, row, to, at, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      to[at + i] = late.applyAsLong(row + i);
    }
  }

  long memoryBytes() {
    return memoryBytes(maxEvents(), maxChanges());
  }

  static long memoryBytes(int events, int changes) {
    return (3L * Long.BYTES + 3 * Integer.BYTES + 2) * events
        + (Long.BYTES + Integer.BYTES + 2L) * changes;
  }

  int maxEvents() {
    return hlc.length;
  }

  int maxChanges() {
    return bits.length;
  }

  /** Whether these are known to be columns of rows that each set one variable to a LONG. */
  boolean holdsLongsOnly() {
    return type == SetsOfLongs.TYPES
        && operation == SetsOfLongs.OPERATIONS
        && changeStart == SetsOfLongs.CHANGE_STARTS
        && kind == SetsOfLongs.KINDS
        && marks == SetsOfLongs.ZERO_BYTES;
  }

  /** Whether each event is an unmarked state change that sets one variable to a LONG. */
  boolean writeLongsOnly(int events) {
    if (holdsLongsOnly()) {
      return events == bits.length;
    }
    int other = 0;
    for (int i = 0; i < events && other == 0; i++) {
      other = (kind[i] ^ STATE_CHANGE) | marks[i] | (changeStart[i] ^ i);
    }
    if (other != 0 || changeStart[events] != events) {
      return false;
    }
    for (int i = 0; i < events && other == 0; i++) {
      other = (operation[i] ^ SET) | (type[i] ^ LONG);
    }
    return other == 0;
  }

  /** The columns that a reader has decoded, with one more mark for each row. */
  BlockColumns marked(EventMark mark) {
    byte[] more = new byte[hlc.length];
    for (int row = 0; row < more.length; row++) {
      more[row] = (byte) (marks[row] | mark.bit());
    }
    return new BlockColumns(
        hlc,
        node,
        physical,
        sequence,
        kind,
        more,
        log,
        changeStart,
        new OrderedRows.Changes(operation, name, type, bits));
  }

  /** Whether each of the changes has a name. */
  boolean areNamed(int changes) {
    int all = 0;
    for (int i = 0; i < changes; i++) {
      all |= name[i];
    }
    return all >= 0;
  }

  /** Copies all columns, including the end of the last event's changes. */
  void copyTo(BlockColumns to, int eventCount, int changeCount) {
    System.arraycopy(hlc, 0, to.hlc, 0, eventCount);
    System.arraycopy(physical, 0, to.physical, 0, eventCount);
    System.arraycopy(sequence, 0, to.sequence, 0, eventCount);
    System.arraycopy(kind, 0, to.kind, 0, eventCount);
    System.arraycopy(marks, 0, to.marks, 0, eventCount);
    System.arraycopy(node, 0, to.node, 0, eventCount);
    System.arraycopy(log, 0, to.log, 0, eventCount);
    System.arraycopy(changeStart, 0, to.changeStart, 0, eventCount + 1);
    copyChanges(0, changeCount, to, 0);
  }

  /** Copies the rows in another order. */
  void copyTo(BlockColumns to, int eventCount, int[] order) {
    int change = 0;
    for (int row = 0; row < eventCount; row++) {
      int from = order[row];
      to.hlc[row] = hlc[from];
      to.physical[row] = physical[from];
      to.sequence[row] = sequence[from];
      to.kind[row] = kind[from];
      to.marks[row] = marks[from];
      to.node[row] = node[from];
      to.log[row] = log[from];
      to.changeStart[row] = change;
      copyChanges(changeStart[from], changeStart[from + 1], to, change);
      change += changeStart[from + 1] - changeStart[from];
    }
    to.changeStart[eventCount] = change;
  }

  private void copyChanges(int from, int end, BlockColumns to, int at) {
    int count = end - from;
    System.arraycopy(operation, from, to.operation, at, count);
    System.arraycopy(name, from, to.name, at, count);
    System.arraycopy(type, from, to.type, at, count);
    System.arraycopy(bits, from, to.bits, at, count);
  }
}
