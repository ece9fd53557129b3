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
  private static final int SET = EventBody.Operation.SET.code();

  /** The marks that a warning is about. */
  private static final int MORE = EventMark.REPAIR.bit() | EventMark.UNORDERED.bit();

  private final BlockColumns from;
  private final int size;

  /* By the indexes of variables: the number of changes, the type, and whether there is no column. */
  private final int[] counts;
  private final byte[] types;
  private final boolean[] areOther;

  private int lineCount;
  private int lineChanges;

  private GatheredChanges(EventBlock block) {
    from = block.heads();
    size = block.size();
    counts = new int[block.variables().size()];
    types = new byte[counts.length];
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
    for (int row = 0; row < size; row++) {
      if ((from.marks[row] & MORE) != 0) {
        return false;
      }
      switch (EventKind.ofCode(from.kind[row])) {
        case STATE_CHANGE -> countChanges(row);
        case LOG_LINE, SEND, RECEIVE -> {
          lineCount++;
          lineChanges += from.changeStart[row + 1] - from.changeStart[row];
        }
        case HEARTBEAT, START, STOP -> {
          return false;
        }
      }
    }
    return true;
  }

  private void countChanges(int row) {
    for (int i = from.changeStart[row]; i < from.changeStart[row + 1]; i++) {
      int name = from.name[i];
      byte type = from.type[i];
      boolean isFirst = counts[name]++ == 0;
      types[name] = isFirst ? type : types[name];
      areOther[name] |=
          from.operation[i] != SET
              || type != types[name]
              || type == ValueType.NESTED.code()
              || type == ValueType.NULL.code();
    }
  }

  private ChangesByVariable gather() {
    int[][] rows = new int[counts.length][];
    long[][] bits = new long[counts.length][];
    for (int name = 0; name < counts.length; name++) {
      int count = areOther[name] ? 0 : counts[name];
      rows[name] = new int[count];
      bits[name] = new long[count];
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
    for (int i = from.changeStart[row]; i < from.changeStart[row + 1]; i++) {
      int name = from.name[i];
      if (!areOther[name]) {
        int at = filled[name]++;
        areOther[name] = at > 0 && rows[name][at - 1] == row; // set twice
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
        columns.add(new SetColumn(name, ValueType.ofCode(types[name]), at, bits[name]));
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
