// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a block's rows, gathered into a column for each variable. Used once, by one
 * thread.
 */
final class GatheredChanges {
  private static final byte STATE_CHANGE = EventKind.STATE_CHANGE.code();

  /** The bits of the types that a column may have; the bits above are those of other operations. */
  private static final int COLUMNS =
      1 << ValueType.BOOLEAN.code()
          | 1 << ValueType.LONG.code()
          | 1 << ValueType.DOUBLE.code()
          | 1 << ValueType.STRING.code();

  /** The marks that a warning is about. */
  private static final int MORE = EventMark.REPAIR.bit() | EventMark.UNORDERED.bit();

  private final BlockColumns from;
  private final int size;

  /* By the indexes of variables: the number of changes, what they are, and if there is no column. */
  private final int[] counts;
  private final int[] seen;
  private final boolean[] areOther;

  private int lineCount;
  private int lineChanges;

  private GatheredChanges(EventBlock block) {
    from = block.heads();
    size = block.size();
    counts = new int[block.variables().size()];
    seen = new int[counts.length];
    areOther = new boolean[counts.length];
  }

  /** Returns the changes of a block that was not made of columns; null if a row does more. */
  static @Nullable ChangesByVariable of(EventBlock block) {
    if (block.writesLongsOnly() && block.variables().size() == 1) {
      long[] bits = block.heads().bits;
      SetColumn only = new SetColumn(0, ValueType.LONG, null, bits, block.size());
      return new ChangesByVariable(block.size(), List.of(only), null);
    }
    GatheredChanges gathered = new GatheredChanges(block);
    return gathered.count() ? gathered.gather() : null;
  }

  /** Examines all rows; returns false if one does more than its changes say. */
  private boolean count() {
    int marks = 0;
    int others = 0;
    for (int row = 0; row < size; row++) {
      marks |= from.marks[row];
      others |= from.kind[row] ^ STATE_CHANGE;
    }
    if ((marks & MORE) != 0) {
      return false;
    }
    if (others == 0) {
      countChanges(0, from.changeStart[size]);
    } else if (!countByRow()) {
      return false;
    }
    for (int name = 0; name < counts.length; name++) {
      areOther[name] = (seen[name] & ~COLUMNS) != 0 || Integer.bitCount(seen[name]) > 1;
    }
    return true;
  }

  private boolean countByRow() {
    for (int row = 0; row < size; row++) {
      int first = from.changeStart[row];
      int end = from.changeStart[row + 1];
      switch (EventKind.ofCode(from.kind[row])) {
        case STATE_CHANGE -> countChanges(first, end);
        case LOG_LINE, SEND, RECEIVE -> {
          lineCount++;
          lineChanges += end - first;
        }
        case HEARTBEAT, START, STOP -> {
          return false;
        }
      }
    }
    return true;
  }

  private void countChanges(int first, int end) {
    int[] names = from.name;
    for (int i = first; i < end; i++) {
      counts[names[i]]++;
      seen[names[i]] |= 1 << from.type[i] | from.operation[i] << ValueType.COUNT;
    }
  }

  private ChangesByVariable gather() {
    int[][] rows = new int[counts.length][];
    long[][] bits = new long[counts.length][];
    for (int name = 0; name < counts.length; name++) {
      rows[name] = new int[areOther[name] ? 0 : counts[name]];
      bits[name] = new long[rows[name].length];
    }
    int[] filled = new int[counts.length];
    for (int row = 0; row < size; row++) {
      if (from.kind[row] == STATE_CHANGE) {
        gather(row, rows, bits, filled);
      }
    }
    return new ChangesByVariable(size, columns(rows, bits), lines(), others());
  }

  private void gather(int row, int[][] rows, long[][] bits, int[] filled) {
    int end = from.changeStart[row + 1];
    for (int i = from.changeStart[row]; i < end; i++) {
      int name = from.name[i];
      if (!areOther[name]) {
        int at = filled[name]++;
        if (at > 0 && rows[name][at - 1] == row) {
          areOther[name] = true; // set twice
        }
        rows[name][at] = row;
        bits[name][at] = from.bits[i];
      }
    }
  }

  private List<SetColumn> columns(int[][] rows, long[][] bits) {
    List<SetColumn> columns = new ArrayList<>();
    for (int name = 0; name < counts.length; name++) {
      if (counts[name] > 0 && !areOther[name]) {
        int[] at = counts[name] == size ? null : rows[name];
        ValueType type = ValueType.ofCode(Integer.numberOfTrailingZeros(seen[name]));
        columns.add(new SetColumn(name, type, at, bits[name]));
      }
    }
    return columns;
  }

  private int[] others() {
    int[] others = new int[counts.length];
    int found = 0;
    for (int name = 0; name < counts.length; name++) {
      others[found] = name;
      found += areOther[name] ? 1 : 0;
    }
    return Arrays.copyOf(others, found);
  }

  private ChangesByVariable.@Nullable Lines lines() {
    if (lineCount == 0) {
      return null;
    }
    int[] rows = new int[lineCount];
    byte[] kinds = new byte[lineCount];
    int[] starts = new int[lineCount + 1];
    OrderedRows.Changes all =
        new OrderedRows.Changes(from.operation, from.name, from.type, from.bits);
    OrderedRows.Changes changes = new OrderedRows.Changes(lineChanges);
    int line = 0;
    for (int row = 0; row < size; row++) {
      if (from.kind[row] != STATE_CHANGE) {
        int first = from.changeStart[row];
        int count = from.changeStart[row + 1] - first;
        changes.put(all, first, count, starts[line]);
        rows[line] = row;
        kinds[line] = from.kind[row];
        starts[++line] = starts[line - 1] + count;
      }
    }
    return new ChangesByVariable.Lines(rows, kinds, starts, changes);
  }
}
