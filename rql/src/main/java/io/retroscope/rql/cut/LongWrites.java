// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.RowCopies;
import io.retroscope.event.SetColumn;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The next rows of a window as columns, as far as they do nothing but write values that are numbers
 * ({@link ValuePacking}) into followed variables, or nothing at all. Ends between two stamps. Used
 * by one thread.
 */
final class LongWrites {
  /* The columns of so many rows stay in the processor's cache. */
  private static final int MAX_ROWS = 1_024;

  /** The number of a block's variables up to which there is a loop for each. */
  private static final int MAX_GATHERED = 6;

  /** The number of variables from which on their columns are made anew. */
  private static final int MAX_COLUMNS = 64;

  private ColumnWrites[] columns = new ColumnWrites[0];

  private final WritePlaces places = new WritePlaces();

  /** The only column, if each row writes it. */
  private @Nullable ColumnWrites dense;

  private long[] stamps = {};
  private int[] placeOf = {};
  private int firstRow;
  private int endRow;

  /** Whether the row that is being added has a write, at the next place. */
  private boolean isWritten;

  private @Nullable Rows source;
  private long window;
  private long fills;
  private long renewals;
  private final RowCopies copies = new RowCopies();

  /** Begins at the present row, unless it is among the rows already. */
  void fill(Rows from) {
    boolean isSameWindow = source == from && window == from.window();
    if (isSameWindow && firstRow <= from.index() && from.index() < endRow) {
      return;
    }
    source = from;
    window = from.window();
    firstRow = from.index();
    fills++;
    clear();
    if (!fillDensely(from) && !fillFromColumns(from) && !fillByColumn(from)) {
      clear();
      fillRowByRow(from);
    }
  }

  private void clear() {
    places.begin(firstRow);
    dense = null;
    if (columns.length > MAX_COLUMNS) {
      columns = new ColumnWrites[0];
      renewals++;
    }
    for (ColumnWrites column : columns) {
      column.clear();
    }
  }

  private boolean fillDensely(Rows from) {
    if (!from.isOfOneBlock()) {
      return false;
    }
    BlockNames names = from.names();
    VariableColumn column = names.onlyColumn();
    boolean holdsLongs = column != null && column.packedType() == ValueType.LONG;
    int count = holdsLongs ? from.wholeStamps(MAX_ROWS) : 0;
    if (column == null || count == 0) {
      return false;
    }
    ColumnWrites writes = of(column);
    if (!writes.addAll(names.block(), from.row(), count, names.nodeIds())) {
      return false;
    }
    dense = writes;
    places.fill(count, writes.stamps());
    endRow = firstRow + count;
    return true;
  }

  /** Adds rows of a block that has a column for each variable, without examining the rows. */
  private boolean fillFromColumns(Rows from) {
    BlockNames names = from.isOfOneBlock() ? from.names() : null;
    ChangesByVariable changes = names == null ? null : names.block().byVariable();
    int count = changes == null ? 0 : from.wholeStamps(MAX_ROWS);
    if (names == null || changes == null || count == 0) {
      return false;
    }
    clear();
    if (names.block().logs().size() > 1
        || !names.areNodesKnown()
        || names.haveTwice(from.row(), count)
        || names.concernLines(changes)) {
      return false;
    }
    boolean areAllFollowed = !changes.hasLines();
    for (SetColumn column : changes.columns()) {
      ColumnWrites writes = names.writes(this, 0, column.variable());
      boolean isFollowed = writes != BlockNames.NOT_WRITTEN;
      areAllFollowed &= isFollowed;
      if (writes == null || (isFollowed && !writes.addAll(column, from.row(), count, names))) {
        return false;
      }
    }
    stamps = stamps.length < count ? new long[MAX_ROWS] : stamps;
    names.block().copyStamps(from.row(), count, stamps, 0);
    take(count, stamps, areAllFollowed);
    return true;
  }

  /** Takes rows whose writes were added. */
  private void take(int count, long[] stampsOfRows, boolean areAllWritten) {
    endRow = firstRow + count;
    if (areAllWritten || isWrittenInEach(count)) {
      places.fill(count, stampsOfRows);
    } else {
      leaveOut(count, stampsOfRows);
    }
  }

  /**
   * Adds rows that set few followed variables, in one loop for each variable. Log lines and
   * messages may be among them, as long as they do not concern the state.
   */
  private boolean fillByColumn(Rows from) {
    if (!from.isOfOneBlock() || from.names().block().variables().size() > MAX_GATHERED) {
      return false;
    }
    clear();
    BlockNames names = from.names();
    int count = from.wholeStamps(MAX_ROWS);
    int kinds = RowCopies.STATE_CHANGES | RowCopies.LINES;
    if (count == 0
        || copies.copy(names.block(), from.row(), count, kinds, BlockNames.MORE) < count
        || names.block().logs().size() > 1
        || !names.areNodesKnown()
        || names.haveTwice(copies, count)
        || names.concernLines(copies, from.row())
        || !gather(names)) {
      return false;
    }
    int all = 0;
    for (ColumnWrites column : columns) {
      all += column.size();
    }
    boolean areAllWritten =
        all == count && copies.changeCount() == count && copies.lineCount() == 0;
    take(count, copies.stamps(), areAllWritten);
    return true;
  }

  /** Gathers the writes of each followed variable; returns false if they are not all numbers. */
  private boolean gather(BlockNames names) {
    int[] rowOf = copies.rows();
    for (int name = 0; name < names.block().variables().size(); name++) {
      ColumnWrites writes = names.writes(this, 0, name);
      if (writes == null
          || (writes != BlockNames.NOT_WRITTEN && !writes.gather(copies, rowOf, name, names))) {
        return false;
      }
    }
    return true;
  }

  /** Whether each of some rows surely has a write. */
  private boolean isWrittenInEach(int count) {
    for (ColumnWrites column : columns) {
      if (column.size() == count) {
        return true;
      }
    }
    return false;
  }

  /** Keeps only those of some rows that have a write. */
  private void leaveOut(int count, long[] stampsOfRows) {
    placeOf = placeOf.length < count ? new int[count] : placeOf;
    Arrays.fill(placeOf, 0, count, 0);
    for (ColumnWrites column : columns) {
      column.mark(placeOf);
    }
    places.fill(count, stampsOfRows, placeOf);
    for (ColumnWrites column : columns) {
      column.movePlaces(placeOf);
    }
  }

  private void fillRowByRow(Rows from) {
    BlockNames one = from.isOfOneBlock() ? from.names() : null;
    int limit = Math.min(from.windowSize(), firstRow + MAX_ROWS);
    int row = firstRow;
    boolean continues = true;
    while (row < limit && continues) {
      int added = one == null ? 0 : addRows(one, row, from.row(row), limit - row);
      continues = added > 0 || addRow(from, row);
      row += continues ? Math.max(1, added) : 0;
    }
    endRow = row == from.windowSize() ? row : from.stampStart(row, firstRow);
    removeFrom(places.placeOf(endRow));
  }

  private boolean addRow(Rows from, int row) {
    isWritten = false;
    boolean continues =
        from.names(row).addTo(this, from.row(row), row, from.hlc(row)) && !isTwice(from, row);
    if (continues && isWritten) {
      places.add();
    }
    return continues;
  }

  /** Whether a row has the stamp and the node of the row before. */
  private boolean isTwice(Rows from, int row) {
    if (row == firstRow || from.hlc(row - 1) != from.hlc(row)) {
      return false;
    }
    int node = from.names(row).node(from.row(row));
    return node != NodeTable.NONE && node == from.names(row - 1).node(from.row(row - 1));
  }

  /** Adds rows of a block as {@link #addRow} does, as far as that is simple; returns how many. */
  private int addRows(BlockNames block, int firstInWindow, int firstInBlock, int count) {
    int copied =
        copies.copy(block.block(), firstInBlock, count, RowCopies.STATE_CHANGES, BlockNames.MORE);
    int[] nodes = copies.nodes();
    int[] logs = copies.logs();
    int[] ends = copies.ends();
    long[] all = copies.stamps();
    int row = 0;
    int lastNode = firstInWindow == firstRow ? NodeTable.NONE : block.node(firstInBlock - 1);
    long lastStamp = firstInWindow == firstRow ? 0 : block.block().hlc(firstInBlock - 1);
    for (; row < copied; row++) {
      int node = block.knownNode(nodes[row]);
      boolean isTwice = node == lastNode && all[row] == lastStamp && node != NodeTable.NONE;
      if (node == BlockNames.UNRESOLVED || isTwice) {
        return row;
      }
      ColumnWrites[] byName = node == NodeTable.NONE ? null : block.writes(this, logs[row]);
      if (byName != null) {
        int change = row == 0 ? 0 : ends[row - 1];
        places.setNext(firstInWindow + row, all[row]);
        isWritten = false;
        if (!addChanges(block, logs[row], byName, change, ends[row], node)) {
          removeFrom(places.size());
          return row;
        }
        if (isWritten) {
          places.add();
        }
      }
      lastNode = node;
      lastStamp = all[row];
    }
    return row;
  }

  private boolean addChanges(
      BlockNames block, int log, ColumnWrites[] byName, int from, int to, int node) {
    int[] names = copies.names();
    byte[] codes = copies.codes();
    long[] bits = copies.bits();
    for (int i = from; i < to; i++) {
      ColumnWrites writes = byName[names[i]];
      if (writes == null) {
        writes = block.writes(this, log, names[i]);
      }
      if (writes == BlockNames.NOT_WRITTEN) {
        continue;
      }
      if (writes == null || writes.endsAtOrAfter(places.size()) || codes[i] != writes.code()) {
        return false;
      }
      long number = bits[i];
      if (!writes.holdsBits()) {
        if (!block.hasNumber(number, writes.column())) {
          return false;
        }
        number = block.number(number, writes.column());
      }
      writes.add(node, number, places.nextStamp(), places.size());
      isWritten = true;
    }
    return true;
  }

  /**
   * Adds a write of a number of the column's type; returns false if the same row has written the
   * variable already.
   */
  boolean add(VariableColumn column, int node, long number, long stamp, int row) {
    ColumnWrites writes = of(column);
    if (writes.endsAtOrAfter(places.size())) {
      return false;
    }
    places.setNext(row, stamp);
    writes.add(node, number, stamp, places.size());
    isWritten = true;
    return true;
  }

  /** The writes of a column. */
  ColumnWrites of(VariableColumn column) {
    for (ColumnWrites writes : columns) {
      if (writes.isOf(column)) {
        return writes;
      }
    }
    columns = Arrays.copyOf(columns, columns.length + 1);
    ColumnWrites added = new ColumnWrites(column);
    columns[columns.length - 1] = added;
    return added;
  }

  private void removeFrom(int place) {
    places.removeFrom(place);
    for (ColumnWrites writes : columns) {
      writes.removeFrom(place);
    }
  }

  /** A number that changes whenever the columns are other ones. */
  long renewals() {
    return renewals;
  }

  /** A number that changes whenever the rows do. */
  long fills() {
    return fills;
  }

  /** The columns of the writes; some may have none. */
  ColumnWrites[] columns() {
    return columns;
  }

  /** The places of the writes. */
  WritePlaces places() {
    return places;
  }

  /** The row after the last one. */
  int endRow() {
    return endRow;
  }

  /** The number of stamps of the writes {@code from} to {@code to - 1}. */
  int countStamps(int from, int to) {
    if (dense != null) {
      return dense.countStamps(from, to);
    }
    return places.countStamps(from, to);
  }
}
