// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.read.Section;
import io.retroscope.event.EventKind;
import io.retroscope.event.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The sections of the changes of a block that is being written: one for each variable that is
 * written densely, one for all others, and one for the contents of other rows. Used by one thread.
 */
final class VariableSections {
  /** A variable is dense if at least one change in this many rows is its own. */
  static final int DENSE_ONE_IN = 64;

  private final RowBuffer rows;
  private final Map<Integer, Integer> counts = new TreeMap<>();
  private final Set<Integer> dense = new TreeSet<>();
  private int detailCount;

  /** Counts the changes. */
  VariableSections(RowBuffer rows) {
    this.rows = rows;
    int[] perId = countPerId();
    for (int id = 0; id < perId.length; id++) {
      if (perId[id] > 0) {
        counts.put(id, perId[id]);
      }
    }
    counts.forEach(
        (id, count) -> {
          if ((long) count * DENSE_ONE_IN >= rows.size()) {
            dense.add(id);
          }
        });
  }

  private int[] countPerId() {
    int[] perId = new int[16];
    if (rows.holdsLongsOnly()) {
      int[] ids = rows.name;
      for (int row = 0; row < rows.size(); ) {
        int from = row;
        while (row < rows.size() && ids[row] == ids[from]) {
          row++;
        }
        perId = grown(perId, ids[from]);
        perId[ids[from]] += row - from;
      }
      return perId;
    }
    for (int row = 0; row < rows.size(); row++) {
      int end = rows.changeStart[row + 1];
      if (rows.kind(row) != EventKind.STATE_CHANGE) {
        detailCount += end - rows.changeStart[row];
        continue;
      }
      for (int change = rows.changeStart[row]; change < end; change++) {
        int id = rows.name[change];
        perId = grown(perId, id);
        perId[id]++;
      }
    }
    return perId;
  }

  private static int[] grown(int[] perId, int id) {
    return id < perId.length ? perId : Arrays.copyOf(perId, Math.max(id + 1, 2 * perId.length));
  }

  /** The ids of all variables that state changes write, ascending. */
  List<Integer> written() {
    return List.copyOf(counts.keySet());
  }

  void write(SealedBlockWriter.Sections to) {
    if (rows.holdsLongsOnly() && counts.size() == 1) {
      WireWriter out = new WireWriter();
      ChangesWriter.writeLongs(rows.bits, rows.size(), out);
      to.add(Section.Kind.VARIABLE, rows.name[0], out);
      return;
    }
    Map<Integer, ChangesWriter> own = new TreeMap<>();
    int rareCount =
        counts.entrySet().stream()
            .filter(entry -> !dense.contains(entry.getKey()))
            .mapToInt(Map.Entry::getValue)
            .sum();
    ChangesWriter rare = new ChangesWriter(rows, rareCount, true);
    ChangesWriter[] byId = new ChangesWriter[idCount()];
    counts.forEach(
        (id, count) -> {
          boolean isDense = dense.contains(id);
          byId[id] = isDense ? new ChangesWriter(rows, count, false) : rare;
          if (isDense) {
            own.put(id, byId[id]);
          }
        });
    ChangesWriter details = new ChangesWriter(rows, detailCount, true);
    fill(byId, details);
    WireWriter out = new WireWriter();
    if (detailCount > 0) {
      details.write(rows.size(), out);
      to.add(Section.Kind.DETAILS, 0, out);
    }
    if (rareCount > 0) {
      rare.write(rows.size(), out);
      to.add(Section.Kind.RARE, 0, out);
    }
    own.forEach(
        (id, changes) -> {
          changes.write(rows.size(), out);
          to.add(Section.Kind.VARIABLE, id, out);
        });
  }

  private int idCount() {
    int count = 0;
    for (int id : counts.keySet()) {
      count = id + 1;
    }
    return count;
  }

  /** Adds each change to the section of its variable, or to that of other rows. */
  private void fill(ChangesWriter[] byId, ChangesWriter details) {
    byte stateChange = EventKind.STATE_CHANGE.code();
    for (int row = 0; row < rows.size(); row++) {
      boolean isState = (rows.kind[row] & ~Section.OF_NODE) == stateChange;
      for (int change = rows.changeStart[row]; change < rows.changeStart[row + 1]; change++) {
        (isState ? byId[rows.name[change]] : details).add(row, change);
      }
    }
  }
}
