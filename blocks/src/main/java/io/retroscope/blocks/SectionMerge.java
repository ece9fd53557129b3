package io.retroscope.blocks;

import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a sealed block's rows, from few sections that a loop over the rows puts together.
 * Used by one thread.
 */
final class SectionMerge {
  /** The number of sections up to which this is faster than {@link RowChanges}. */
  static final int MAX_SECTIONS = 8;

  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();
  private static final int LINES =
      1 << EventKind.LOG_LINE.code() | 1 << EventKind.SEND.code() | 1 << EventKind.RECEIVE.code();

  private final int rowCount;
  private final List<VariableSets> sets;

  /** The contents of log lines and messages; null if there are none. */
  private final @Nullable NamedChanges lines;

  private final OrderedRows.Changes columns;
  private final int[] starts;
  private final int[] kept;
  private int size;
  private int end;
  private int nextOfLines;
  private boolean isInOrder = true;

  /**
   * A merge.
   *
   * @param sets in the order of their places
   * @param lines the contents of log lines and messages; null if there are none
   */
  SectionMerge(int rowCount, List<VariableSets> sets, @Nullable NamedChanges lines) {
    this.rowCount = rowCount;
    this.sets = sets;
    this.lines = lines;
    int count = lines == null ? 0 : lines.size();
    for (VariableSets section : sets) {
      count += section.values.length;
    }
    columns = new OrderedRows.Changes(count);
    starts = new int[rowCount + 1];
    kept = new int[rowCount];
  }

  /**
   * Puts the changes together.
   *
   * @param kinds the codes of the rows' kinds; null if all are state changes
   * @param complete whether each row must have all places from 0; if not, state changes without a
   *     change are left out
   * @return false if there is more than sets, lines and messages, or if places are not in order
   */
  boolean merge(byte @Nullable [] kinds, boolean complete) {
    int[] at = new int[sets.size()];
    int[] next = new int[sets.size()];
    for (int i = 0; i < next.length; i++) {
      next[i] = sets.get(i).row(0, rowCount);
    }
    VariableSets[] sections = sets.toArray(new VariableSets[0]);
    for (int row = 0; row < rowCount && isInOrder; row++) {
      int first = end;
      if (kinds == null || kinds[row] == STATE_CHANGE) {
        int last = addSets(row, sections, at, next);
        isInOrder &= !complete || (end > first && last == end - first - 1);
      } else {
        isInOrder &= (1 << kinds[row] & LINES) != 0 && lines != null;
        addLine(row);
      }
      starts[size] = first;
      kept[size] = row;
      size += end > first ? 1 : 0;
    }
    starts[size] = end;
    return isInOrder && end == columns.bits().length;
  }

  /** Returns the place of the last change that was added. */
  private int addSets(int row, VariableSets[] sections, int[] at, int[] next) {
    long[] bits = columns.bits();
    int[] names = columns.names();
    byte[] types = columns.types();
    int to = end;
    int place = -1;
    for (int i = 0; i < sections.length; i++) {
      if (next[i] == row) {
        VariableSets section = sections[i];
        isInOrder &= section.place > place;
        place = section.place;
        bits[to] = section.values[at[i]++];
        names[to] = section.name;
        types[to++] = section.type;
        next[i] = section.row(at[i], rowCount);
      }
    }
    end = to;
    return place;
  }

  private void addLine(int row) {
    NamedChanges from = lines;
    if (from == null) {
      return;
    }
    for (int place = 0; nextOfLines < from.size() && from.row(nextOfLines) == row; place++) {
      isInOrder &= from.isWanted(nextOfLines) && from.place(nextOfLines) == place;
      from.put(nextOfLines++, end++, columns);
    }
  }

  OrderedRows.Changes columns() {
    return columns;
  }

  /** For each kept row the index of its first change, and after these the number of all. */
  int[] starts() {
    return size == rowCount ? starts : Arrays.copyOf(starts, size + 1);
  }

  KeptRows kept() {
    return new KeptRows(size == rowCount ? null : Arrays.copyOf(kept, size));
  }
}
