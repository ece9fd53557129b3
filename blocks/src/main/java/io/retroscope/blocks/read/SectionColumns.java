// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a sealed block's rows as the columns of its sections, with the log lines and
 * messages between them. Used by one thread.
 */
final class SectionColumns {
  /*
   * Nothing is put into the order of rows. It remains to find out, section by section in
   * the order of their places, whether each row has the places that it must have. For
   * each row this takes a byte, the place after its last change.
   */
  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();
  private static final int LINES =
      1 << EventKind.LOG_LINE.code() | 1 << EventKind.SEND.code() | 1 << EventKind.RECEIVE.code();

  private final int rowCount;
  private final List<VariableSets> sections;
  private final boolean complete;

  /** For each row the place after its last change. */
  private byte[] next = {};

  private KeptRows kept = new KeptRows(null);

  /** For each row its index among those that are kept; null if all are. */
  private int @Nullable [] keptIndexes;

  private ChangesByVariable.@Nullable Lines lines;

  /**
   * Columns of sections.
   *
   * @param complete whether each state change must have all places from 0; if not, those without a
   *     change are left out
   */
  SectionColumns(int rowCount, List<VariableSets> sections, boolean complete) {
    this.rowCount = rowCount;
    this.sections =
        sections.stream().sorted(Comparator.comparingInt(section -> section.place)).toList();
    this.complete = complete;
  }

  /**
   * Puts the sections together; returns false if places are wrong, or if there are more of them
   * than usual.
   *
   * @param kinds the codes of the rows' kinds; null if all are state changes
   * @param contents those of log lines and messages; null if there are none
   */
  boolean join(byte @Nullable [] kinds, @Nullable NamedChanges contents) {
    if (kinds == null && sections.size() == 1) {
      return keep(sections.get(0));
    }
    next = new byte[rowCount];
    return areInPlace() && findKept(kinds) && (kinds == null || addLines(kinds, contents));
  }

  /** Keeps the rows of the only section; returns false if places are wrong or a row lacks one. */
  private boolean keep(VariableSets only) {
    if (only.rows != null && only.size() < rowCount) {
      kept = new KeptRows(Arrays.copyOf(only.rows, only.size()));
    }
    return !complete || (only.place == 0 && kept.size(rowCount) == rowCount);
  }

  private boolean areInPlace() {
    boolean areInPlace = true;
    for (int i = 0; i < sections.size() && areInPlace; i++) {
      VariableSets section = sections.get(i);
      int least = complete ? section.place : 0;
      areInPlace =
          section.place < Byte.MAX_VALUE
              && (section.rows == null
                  ? take(next, least, section.place)
                  : take(next, section.rows, section.size(), least, section.place));
    }
    return areInPlace;
  }

  /** Takes a place in each row; returns false unless all before are from {@code least} to it. */
  private static boolean take(byte[] next, int least, int place) {
    int wrong = 0; // negative after a wrong one
    for (int row = 0; row < next.length; row++) {
      wrong |= (place - next[row]) | (next[row] - least);
    }
    Arrays.fill(next, (byte) (place + 1));
    return wrong >= 0;
  }

  /** Takes a place in some rows likewise. */
  private static boolean take(byte[] next, int[] rows, int count, int least, int place) {
    int wrong = 0;
    byte after = (byte) (place + 1);
    for (int i = 0; i < count; i++) {
      int row = rows[i];
      wrong |= (place - next[row]) | (next[row] - least);
      next[row] = after;
    }
    return wrong >= 0;
  }

  /** Finds the rows that are kept; returns false if there is one that must have a change. */
  private boolean findKept(byte @Nullable [] kinds) {
    int empty = zeros(next);
    if (empty == 0) {
      return kinds == null || areStateChanges(kinds);
    }
    int[] rows = new int[rowCount];
    int[] indexes = new int[rowCount];
    int size = 0;
    boolean fits = true;
    for (int row = 0; row < rowCount; row++) {
      int kind = kinds == null ? STATE_CHANGE : kinds[row];
      boolean isLine = kind != STATE_CHANGE;
      boolean isKept = isLine || next[row] != 0;
      fits &= isLine ? next[row] == 0 && (1 << kind & LINES) != 0 : isKept || !complete;
      rows[size] = row;
      indexes[row] = size;
      size += isKept ? 1 : 0;
    }
    if (size < rowCount) {
      kept = new KeptRows(Arrays.copyOf(rows, size));
      keptIndexes = indexes;
    }
    return fits;
  }

  private static int zeros(byte[] next) {
    int zeros = 0;
    for (byte place : next) {
      zeros += place == 0 ? 1 : 0;
    }
    return zeros;
  }

  private static boolean areStateChanges(byte[] kinds) {
    int other = 0;
    for (byte kind : kinds) {
      other |= kind ^ STATE_CHANGE;
    }
    return other == 0;
  }

  private boolean addLines(byte[] kinds, @Nullable NamedChanges contents) {
    int size = contents == null ? 0 : contents.size();
    int[] rows = new int[size];
    byte[] lineKinds = new byte[size];
    int[] starts = new int[size + 1];
    OrderedRows.Changes changes = new OrderedRows.Changes(size);
    int count = 0;
    int at = 0;
    boolean areInPlace = true;
    for (int row = 0; row < rowCount; row++) {
      if (kinds[row] == STATE_CHANGE) {
        continue;
      }
      int first = at;
      for (; contents != null && at < size && contents.row(at) == row; at++) {
        areInPlace &= contents.isWanted(at) && contents.place(at) == at - first;
        contents.put(at, at, changes);
      }
      if (first == at) {
        return false;
      }
      rows[count] = keptIndexes == null ? row : keptIndexes[row];
      lineKinds[count] = kinds[row];
      starts[++count] = at;
    }
    lines =
        new ChangesByVariable.Lines(
            Arrays.copyOf(rows, count),
            Arrays.copyOf(lineKinds, count),
            Arrays.copyOf(starts, count + 1),
            changes);
    return areInPlace && at == size;
  }

  /** The block of the rows that are kept. */
  EventBlock block(SealedBlock block, OrderedRows.Names names) throws CorruptBlockException {
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    if (sections.size() == 1 && lines == null) {
      VariableSets only = sections.get(0);
      return OrderedRows.ofSingleChanges(
          new OrderedRows.Writes(
              kept.size(rowCount), kept.of(stamps), kept.of(runs), null, only.values()),
          List.of(ValueType.ofCode(only.type)),
          kept.physicalMicros(block, stamps),
          kept.sequences(block, runs),
          names);
    }
    ChangesByVariable changes =
        new ChangesByVariable(
            kept.size(rowCount),
            sections.stream().map(section -> section.column(keptIndexes)).toList(),
            lines);
    return OrderedRows.ofVariables(
        kept.of(stamps),
        kept.of(runs),
        changes,
        kept.physicalMicros(block, stamps),
        kept.sequences(block, runs),
        names);
  }
}
