package io.retroscope.rql.cut;

import io.retroscope.event.RowCopies;
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

  /* For each write, in order: its stamp, and its row in the window. */
  private int size;
  private long[] stamps = new long[16];
  private int[] rows = new int[16];

  /** Whether each row is a write, so that {@link #rows} is not filled. */
  private boolean isDense;

  private long[] denseStamps = stamps;

  /** The column of all writes, if each row is a write of the same one. */
  private @Nullable ColumnWrites dense;

  private int[] placeOf = {};
  private int firstRow;
  private int endRow;

  /** The place of the first write of the row that is being added. */
  private int rowStart;

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
    if (!fillDensely(from) && !fillByColumn(from)) {
      clear();
      fillRowByRow(from);
    }
  }

  private void clear() {
    size = 0;
    isDense = false;
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
    int count = holdsLongs ? wholeStamps(from) : 0;
    if (column == null || count == 0) {
      return false;
    }
    ColumnWrites writes = of(column);
    if (!writes.addAll(names.block(), from.row(), count, names.nodeIds())) {
      return false;
    }
    isDense = true;
    dense = writes;
    denseStamps = writes.stamps();
    size = count;
    endRow = firstRow + count;
    return true;
  }

  /** Adds rows that set one of few followed variables each, in one loop for each variable. */
  private boolean fillByColumn(Rows from) {
    if (!from.isOfOneBlock() || from.names().block().variables().size() > MAX_GATHERED) {
      return false;
    }
    clear();
    BlockNames names = from.names();
    int count = wholeStamps(from);
    if (count == 0
        || copies.copy(names.block(), from.row(), count, BlockNames.MORE) < count
        || !copies.areSingle()
        || names.block().logs().size() > 1
        || !names.areNodesKnown()
        || hasTwice(names, count)) {
      return false;
    }
    int[] follows = new int[names.block().variables().size()]; // 1 if a variable is
    int followed = 0;
    for (int name = 0; name < follows.length; name++) {
      ColumnWrites writes = names.writes(this, 0, name);
      if (writes == null
          || (writes != BlockNames.NOT_WRITTEN && !writes.gather(copies, count, name, names))) {
        return false;
      }
      follows[name] = writes == BlockNames.NOT_WRITTEN ? 0 : 1;
      followed += follows[name];
    }
    endRow = firstRow + count;
    if (followed == follows.length) {
      isDense = true;
      denseStamps = copies.stamps();
      size = count;
    } else {
      leaveOut(follows, count);
    }
    return true;
  }

  /** Keeps only those of some rows that write a followed variable. */
  private void leaveOut(int[] follows, int count) {
    ensureCapacity(count + 1);
    placeOf = placeOf.length < count ? new int[count] : placeOf;
    size = findPlaces(copies.names(), follows, count, placeOf);
    long[] all = copies.stamps();
    for (int i = 0; i < count; i++) {
      rows[placeOf[i]] = firstRow + i; // The last one at a place is the one that is kept.
      stamps[placeOf[i]] = all[i];
    }
    for (ColumnWrites column : columns) {
      column.movePlaces(placeOf);
    }
  }

  private static int findPlaces(int[] names, int[] follows, int count, int[] placeOf) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      placeOf[i] = kept;
      kept += follows[names[i]];
    }
    return kept;
  }

  /** Whether two rows are of one node and one stamp. */
  private boolean hasTwice(BlockNames names, int count) {
    long[] all = copies.stamps();
    int[] nodes = copies.nodes();
    boolean has = false;
    for (int i = 1; i < count; i++) {
      has |= all[i] == all[i - 1] && names.knownNode(nodes[i]) == names.knownNode(nodes[i - 1]);
    }
    return has;
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
    BlockNames one = from.isOfOneBlock() ? from.names() : null;
    int limit = Math.min(from.windowSize(), firstRow + MAX_ROWS);
    int row = firstRow;
    boolean continues = true;
    while (row < limit && continues) {
      int added = one == null ? 0 : addRows(one, row, from.row(row), limit - row);
      continues = added > 0 || addRow(from, row);
      row += continues ? Math.max(1, added) : 0;
    }
    endRow = row == from.windowSize() ? row : stampStart(from, row);
    removeFrom(placeOf(endRow));
  }

  /** The first row of the stamp of a row. */
  private int stampStart(Rows from, int row) {
    int start = row;
    while (start > firstRow && from.hlc(start - 1) == from.hlc(row)) {
      start--;
    }
    return start;
  }

  private boolean addRow(Rows from, int row) {
    BlockNames names = from.names(row);
    rowStart = size;
    return names.addTo(this, from.row(row), row, from.hlc(row)) && !isTwice(from, row);
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
    int copied = copies.copy(block.block(), firstInBlock, count, BlockNames.MORE);
    ensureCapacity(size + (copied == 0 ? 0 : copies.ends()[copied - 1]));
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
        rowStart = size;
        int change = row == 0 ? 0 : ends[row - 1];
        if (!addChanges(
            block, logs[row], byName, change, ends[row], node, all[row], firstInWindow + row)) {
          removeFrom(rowStart);
          return row;
        }
      }
      lastNode = node;
      lastStamp = all[row];
    }
    return row;
  }

  private boolean addChanges(
      BlockNames block,
      int log,
      ColumnWrites[] byName,
      int from,
      int to,
      int node,
      long stamp,
      int row) {
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
      if (writes == null || writes.endsAtOrAfter(rowStart) || codes[i] != writes.code()) {
        return false;
      }
      long number = bits[i];
      if (!writes.holdsBits()) {
        int change = copies.firstChange() + i;
        if (!block.hasNumber(change, writes.column())) {
          return false;
        }
        number = block.number(change, writes.column());
      }
      rows[size] = row;
      stamps[size] = stamp;
      writes.add(node, number, stamp, size++);
    }
    return true;
  }

  private void ensureCapacity(int needed) {
    if (rows.length < needed) {
      int capacity = Math.max(needed, 2 * rows.length);
      rows = Arrays.copyOf(rows, capacity);
      stamps = Arrays.copyOf(stamps, capacity);
    }
  }

  /**
   * Adds a write of a number of the column's type; returns false if the same row has written the
   * variable already.
   */
  boolean add(VariableColumn column, int node, long number, long stamp, int row) {
    ColumnWrites writes = of(column);
    if (writes.endsAtOrAfter(rowStart)) {
      return false;
    }
    ensureCapacity(size + 1);
    rows[size] = row;
    stamps[size] = stamp;
    writes.add(node, number, stamp, size);
    size++;
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
    size = place;
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
    if (dense != null) {
      return dense.countStamps(from, to);
    }
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
