package io.retroscope.rql.cut;

import java.util.Arrays;

/**
 * A walk over cuts at which a {@link QuietRule} shows that nothing happens. Used by one thread.
 *
 * <p>It applies rows that do nothing but replace a LONG by another one. It ends before the first
 * stamp that has another row, or at which the predicate may be TRUE or fail: the writes of that
 * stamp are taken back, so that the ordinary walk finds the state as if it had walked all the way.
 */
final class QuietStretch {
  private long cuts;
  private long events;
  private long stamps;
  private long lastHlc;

  /* The writes of the present stamp. */
  private int written;
  private VariableColumn[] columns = new VariableColumn[4];
  private int[] nodes = new int[4];
  private long[] numbers = new long[4];
  private long[] changedAt = new long[4];

  /**
   * Moves over rows as far as the rule allows, at most to the end of a window.
   *
   * @param last packed, the last stamp that may be passed
   * @return whether any stamp was passed
   */
  boolean pass(Rows rows, QuietRule rule, long last) {
    cuts = 0;
    events = 0;
    stamps = 0;
    boolean sameWindow = true;
    while (sameWindow && rows.has() && rows.hlc() <= last) {
      long stamp = rows.hlc();
      int from = rows.index();
      int to = write(rows, stamp);
      if (to < 0 || (written > 0 && !rule.isQuiet())) {
        takeBack();
        break;
      }
      lastHlc = stamp;
      stamps++;
      events += to - from;
      cuts += written > 0 ? 1 : 0;
      rows.moveTo(to);
      sameWindow = rows.index() == to;
    }
    return stamps > 0;
  }

  /** The number of cuts passed. */
  long cuts() {
    return cuts;
  }

  /** The number of events applied. */
  long events() {
    return events;
  }

  /** The number of stamps passed. */
  long stamps() {
    return stamps;
  }

  /** The packed stamp passed last. */
  long lastHlc() {
    return lastHlc;
  }

  /** Applies the rows of one stamp; returns the index after them, or -1 if one does more. */
  private int write(Rows rows, long stamp) {
    written = 0;
    int lastNode = NodeTable.NONE;
    int index = rows.index();
    do {
      BlockNames names = rows.names(index);
      int row = rows.row(index);
      VariableColumn column = names.replaced(row);
      if (column != null) {
        int node = names.node(row);
        if (column == BlockNames.MORE || node == lastNode || !column.isLong(node)) {
          return -1;
        }
        write(column, node, names.number(row), stamp);
        lastNode = node;
      }
      index++;
    } while (rows.isAt(index, stamp));
    return index;
  }

  private void write(VariableColumn column, int node, long number, long stamp) {
    if (written == nodes.length) {
      columns = Arrays.copyOf(columns, 2 * written);
      nodes = Arrays.copyOf(nodes, 2 * written);
      numbers = Arrays.copyOf(numbers, 2 * written);
      changedAt = Arrays.copyOf(changedAt, 2 * written);
    }
    columns[written] = column;
    nodes[written] = node;
    numbers[written] = column.number(node);
    changedAt[written] = column.changedAt(node);
    written++;
    column.replaceLong(node, number, stamp);
  }

  private void takeBack() {
    while (written > 0) {
      written--;
      columns[written].restoreLong(nodes[written], numbers[written], changedAt[written]);
    }
  }
}
