package io.retroscope.rql.cut;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The next rows of a window as columns, as far as they do nothing but write LONGs into followed
 * variables or nothing at all. Ends between two stamps. Used by one thread.
 */
final class LongWrites {
  /* The columns of so many rows stay in the processor's cache. */
  private static final int MAX_ROWS = 1_024;

  /** The number of variables from which on their columns are made anew. */
  private static final int MAX_COLUMNS = 64;

  private ColumnWrites[] columns = new ColumnWrites[0];

  /* For each write, in order: its stamp, and its row in the window. */
  private int size;
  private long[] stamps = new long[16];
  private int[] rows = new int[16];

  /** Whether each row is a write, so that {@link #rows} is not filled. */
  private boolean isDense;

  private long[] denseStamps = stamps;

  private int firstRow;
  private int endRow;
  private @Nullable Rows source;
  private long window;
  private long fills;

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
    if (!fillDensely(from)) {
      clear();
      fillRowByRow(from);
    }
  }

  private void clear() {
    size = 0;
    isDense = false;
    if (columns.length > MAX_COLUMNS) {
      columns = new ColumnWrites[0];
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
    int count = column == null ? 0 : wholeStamps(from);
    if (column == null || count == 0) {
      return false;
    }
    ColumnWrites writes = of(column);
    if (!writes.addAll(names.block(), from.row(), count, names.nodeIds())) {
      return false;
    }
    isDense = true;
    denseStamps = writes.stamps();
    size = count;
    endRow = firstRow + count;
    return true;
  }

  /** The number of next rows in the window, limited to whole stamps. */
  private static int wholeStamps(Rows from) {
    int end = Math.min(from.windowSize(), from.index() + MAX_ROWS);
    if (end < from.windowSize()) {
      long next = from.hlc(end);
      while (end > from.index() && from.hlc(end - 1) == next) {
        end--;
      }
    }
    return end - from.index();
  }

  private void fillRowByRow(Rows from) {
    int stampRow = firstRow;
    int stampSize = 0;
    int lastNode = NodeTable.NONE;
    long stamp = from.hlc();
    int row = firstRow;
    for (; row < from.windowSize(); row++) {
      if (from.hlc(row) != stamp) {
        stamp = from.hlc(row);
        stampRow = row;
        stampSize = size;
        lastNode = NodeTable.NONE;
        if (row - firstRow >= MAX_ROWS) {
          break;
        }
      }
      BlockNames names = from.names(row);
      int before = size;
      int blockRow = from.row(row);
      boolean isMore = !names.addTo(this, blockRow, row, stamp);
      if (isMore || (size > before && names.node(blockRow) == lastNode)) {
        removeFrom(stampSize);
        endRow = stampRow;
        return;
      }
      lastNode = size > before ? names.node(blockRow) : lastNode;
    }
    endRow = row;
  }

  /** Adds a write; returns false if the same row has written the variable already. */
  boolean add(VariableColumn column, int node, long number, long stamp, int row) {
    ColumnWrites writes = of(column);
    int rowStart = size;
    while (rowStart > 0 && rows[rowStart - 1] == row) {
      rowStart--;
    }
    if (writes.endsAtOrAfter(rowStart)) {
      return false;
    }
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, 2 * size);
      stamps = Arrays.copyOf(stamps, 2 * size);
    }
    rows[size] = row;
    stamps[size] = stamp;
    writes.add(node, number, stamp, size);
    size++;
    return true;
  }

  private ColumnWrites of(VariableColumn column) {
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
    size = place;
    for (ColumnWrites writes : columns) {
      writes.removeFrom(place);
    }
  }

  /** A number that changes whenever the rows do. */
  long fills() {
    return fills;
  }

  /** The columns of the writes; some may have none. */
  ColumnWrites[] columns() {
    return columns;
  }

  /** The packed stamps of the writes. */
  private long[] stamps() {
    return isDense ? denseStamps : stamps;
  }

  /** The place of the first write at or after a row. */
  int placeOf(int row) {
    if (isDense) {
      return row - firstRow;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows[middle] < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The row of a write in the window. */
  int row(int place) {
    return isDense ? firstRow + place : rows[place];
  }

  /** The row after the last one. */
  int endRow() {
    return endRow;
  }

  /** The place of the first write above a stamp. */
  int placeAfter(long stamp) {
    long[] all = stamps();
    if (size == 0 || all[size - 1] <= stamp) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all[middle] <= stamp) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The place after the last write of the stamp of the write before a place. */
  int stampEnd(int place, int end) {
    long[] all = stamps();
    int at = Math.min(place, end);
    while (at < end && all[at] == all[at - 1]) {
      at++;
    }
    return at;
  }

  /** The place of the first write of the stamp of a write, at or after {@code from}. */
  int stampStart(int place, int from) {
    long[] all = stamps();
    int at = place;
    while (at > from && all[at - 1] == all[place]) {
      at--;
    }
    return at;
  }

  /** Whether a write is the last one of its stamp before {@code end}. */
  boolean endsStamp(int place, int end) {
    return place + 1 == end || stamps()[place] != stamps()[place + 1];
  }

  /** The number of stamps of the writes {@code from} to {@code to - 1}. */
  int countStamps(int from, int to) {
    return from == to ? 0 : 1 + changes(stamps(), from + 1, to);
  }

  private static int changes(long[] stamps, int from, int to) {
    int changes = 0;
    for (int i = from; i < to; i++) {
      changes += stamps[i] == stamps[i - 1] ? 0 : 1;
    }
    return changes;
  }
}
