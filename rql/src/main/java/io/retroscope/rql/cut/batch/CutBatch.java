// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.SetColumn;
import io.retroscope.rql.cut.state.BlockNames;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.ValuePacking;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive rows of a scan as columns, as far as they do nothing but write values that are
 * numbers ({@link ValuePacking}) into followed variables, or nothing at all. Ends between two
 * stamps. Used by one thread.
 *
 * <p>A row that writes a followed variable is a place; the writes of one stamp make one cut, at the
 * last of its places. Predicates are evaluated over the batch in its present {@link Domain}.
 */
public final class CutBatch {
  /** The cuts, or the values, over which a predicate is evaluated at once. */
  public enum Domain {
    /** The present state: one value for one cut. */
    PRESENT,
    /** The places of the part that is examined: a value for each. */
    PLACES,
    /**
     * All cuts of a part, or of a block that is not read: two values, a lower and an upper bound.
     */
    RANGE,
    /** The nodes that have a number of one variable: a value for each, at one cut. */
    NODES,
    /** The writes of one variable in the part that is examined: a value for each. */
    WRITES
  }

  /* The columns of this number of rows stay in the processor's cache. */
  private static final int MAX_ROWS = 1_024;

  /** The number of variables from which on a batch leaves no memory to the next one. */
  private static final int MAX_KEPT_COLUMNS = 64;

  private final CutState state;

  /** The columns of variables, by the indexes of these. */
  private @Nullable BatchColumn[] byVariable = {};

  /** The columns of the variables that the rows write. */
  private final List<BatchColumn> columns = new ArrayList<>();

  /* The places. Each row is one in a dense batch, so that rowOf is not filled. */
  private int size;
  private boolean isDense;
  private long[] stamps = {};
  private int[] rowOf = {};

  /* The places in a dense batch whose stamp is that of the place before. */
  private int tieCount;
  private int[] ties = {};

  /* The rows: where they come from. */
  private @Nullable Rows source;
  private long window;
  private int firstRow;
  private int endRow;

  /** Whether the row that is being added writes a followed variable. */
  private boolean isWritten;

  private Domain domain = Domain.PRESENT;
  private int values = 1;

  /** The number of the part that is selected, of which the columns find series or bounds. */
  private long part;

  /* The part whose places are examined one by one, and the outcomes that are known for it. */
  private int partStart;
  private int partEnd;
  private int partNodes;
  private long examined = -1;
  private final List<Outcomes> outcomes = new ArrayList<>();

  /** The truths of a rule at each place of a part. The walk may stop at many of them. */
  private static final class Outcomes {
    private final QuietRule rule;
    private long revision;
    private long part = -1;
    private byte[] truths = {};

    Outcomes(QuietRule rule) {
      this.rule = rule;
    }
  }

  /** Creates an empty batch of a walk of a state. */
  public CutBatch(CutState state) {
    this.state = state;
  }

  /** The state that the walk moves. */
  public CutState state() {
    return state;
  }

  /** Holds the next rows from the present one on, unless it is among the rows already. */
  void fill(Rows rows) {
    boolean isSame = source == rows && window == rows.window();
    if (isSame && firstRow <= rows.index() && rows.index() < endRow && areOfTheirTypes()) {
      return;
    }
    rows.join();
    source = rows;
    window = rows.window();
    firstRow = rows.index();
    ensureCapacity(Math.min(MAX_ROWS, rows.windowSize()));
    begin();
    if (!fillFromColumns(rows)) {
      begin();
      fillRowByRow(rows);
    }
  }

  /** Whether no variable's numbers are those of another type since the batch was filled. */
  private boolean areOfTheirTypes() {
    boolean are = true;
    for (BatchColumn column : columns) {
      are &= column.isOfType();
    }
    return are;
  }

  private void ensureCapacity(int rows) {
    if (stamps.length < rows) {
      int capacity = Math.max(rows, Math.min(MAX_ROWS, 2 * stamps.length));
      stamps = new long[capacity];
      rowOf = new int[capacity];
      ties = new int[capacity];
    }
  }

  private void begin() {
    boolean keepsMemory = columns.size() <= MAX_KEPT_COLUMNS;
    for (BatchColumn column : columns) {
      column.leave(keepsMemory);
    }
    columns.clear();
    if (!keepsMemory) {
      outcomes.clear();
    }
    size = 0;
    tieCount = 0;
    isDense = false;
    part++;
  }

  /** The column of a variable, which the rows may write or not. */
  public BatchColumn of(VariableColumn variable) {
    int index = variable.index();
    if (index >= byVariable.length) {
      byVariable = Arrays.copyOf(byVariable, Math.max(index + 1, 2 * byVariable.length));
    }
    BatchColumn column = byVariable[index];
    if (column == null) {
      column = new BatchColumn(this, variable);
      byVariable[index] = column;
    }
    return column;
  }

  /** The column of a variable that the rows write. */
  private BatchColumn written(VariableColumn variable) {
    BatchColumn column = of(variable);
    if (column.join()) {
      columns.add(column);
    }
    return column;
  }

  /** Adds rows of one block column by column; returns false if that is not possible. */
  private boolean fillFromColumns(Rows rows) {
    BlockNames names = rows.isOfOneBlock() ? rows.names() : null;
    ChangesByVariable changes = names == null ? null : names.changes();
    int count = changes == null ? 0 : rows.wholeStamps(MAX_ROWS);
    if (names == null
        || changes == null
        || count == 0
        || !names.areNodesKnown()
        || names.followAny(changes.others())
        || names.concernLines(changes)
        || !findTies(names, rows.row(), count)
        || !addColumns(changes, names, rows.row(), count)) {
      return false;
    }
    endRow = firstRow + count;
    names.block().copyStamps(rows.row(), count, stamps, 0);
    if (isDense) {
      size = count;
    } else {
      leaveOut(count);
    }
    return true;
  }

  /** Adds the changes of rows; the batch is dense if it is sure that each writes anything. */
  private boolean addColumns(ChangesByVariable changes, BlockNames names, int row, int count) {
    boolean areAllFollowed = !changes.hasLines() && changes.others().length == 0;
    for (SetColumn changed : changes.columns()) {
      VariableColumn variable = names.followed(changed.variable());
      if (variable == null) {
        return false;
      }
      boolean isFollowed = variable != BlockNames.NOT_FOLLOWED;
      areAllFollowed &= isFollowed;
      if (isFollowed && changed.count(row, count) > 0) {
        if (!written(variable).addAll(changed, row, count, names, stamps)) {
          return false;
        }
        isDense |= changed.isInEachRow();
      }
    }
    isDense |= areAllFollowed;
    return true;
  }

  /** Finds the ties of some rows; returns false if two of one stamp are of one node. */
  private boolean findTies(BlockNames names, int row, int count) {
    EventBlock block = names.block();
    int end = row + count;
    boolean areDistinct = true;
    for (int tie = block.nextTie(row + 1, end); tie < end; tie = block.nextTie(tie + 1, end)) {
      areDistinct &= !names.areOfOneNode(tie - 1, tie);
      ties[tieCount++] = tie - row;
    }
    return areDistinct;
  }

  /** Makes places only of those of some rows that write anything. */
  private void leaveOut(int count) {
    int[] placeOf = ties; // not needed, because the batch is not dense
    Arrays.fill(placeOf, 0, count, 0);
    for (BatchColumn column : columns) {
      column.mark(placeOf);
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int isKept = placeOf[i];
      placeOf[i] = kept;
      rowOf[kept] = firstRow + i;
      stamps[kept] = stamps[i];
      kept += isKept;
    }
    size = kept;
    for (BatchColumn column : columns) {
      column.move(placeOf);
    }
  }

  private void fillRowByRow(Rows rows) {
    int limit = Math.min(rows.windowSize(), firstRow + MAX_ROWS);
    int row = firstRow;
    while (row < limit && addRow(rows, row)) {
      row++;
    }
    endRow = row == rows.windowSize() ? row : rows.stampStart(row, firstRow);
    size = placeOf(endRow);
    for (BatchColumn column : columns) {
      column.removeFrom(size);
    }
  }

  private boolean addRow(Rows rows, int row) {
    isWritten = false;
    boolean continues =
        addWrites(rows.names(row), rows.row(row), row, rows.hlc(row)) && !isTwice(rows, row);
    size += continues && isWritten ? 1 : 0;
    return continues;
  }

  /**
   * Adds the numbers that a row writes into followed variables.
   *
   * @param row the row's index in its block
   * @param windowRow its index in its window
   * @return false if the row does more
   */
  private boolean addWrites(BlockNames names, int row, int windowRow, long stamp) {
    EventBlock block = names.block();
    if (!names.isNodeKnown(row) || (block.markBits(row) & BlockNames.MORE) != 0) {
      return false;
    }
    boolean isIncluded = names.node(row) != NodeTable.NONE;
    return switch (block.kind(row)) {
      case STATE_CHANGE -> !isIncluded || addChanges(names, row, windowRow, stamp);
      case LOG_LINE, SEND, RECEIVE -> !isIncluded || !state.concerns(names, row);
      case HEARTBEAT, START, STOP -> false;
    };
  }

  private boolean addChanges(BlockNames names, int row, int windowRow, long stamp) {
    EventBlock block = names.block();
    int end = names.log(row) == null ? 0 : block.endChange(row);
    int node = names.node(row);
    int log = block.logIndex(row);
    for (int i = block.firstChange(row); i < end; i++) {
      VariableColumn column = names.resolve(log, block.nameIndex(i));
      if (column != BlockNames.NOT_FOLLOWED
          && (column == null || !addChange(names, column, i, node, windowRow, stamp))) {
        return false;
      }
    }
    return true;
  }

  private boolean addChange(
      BlockNames names, VariableColumn variable, int change, int node, int row, long stamp) {
    EventBlock block = names.block();
    if (block.type(change) != variable.packedType() || block.operation(change) != Operation.SET) {
      return false;
    }
    long bits = block.bits(change);
    return names.hasNumber(bits, variable)
        && add(variable, node, names.number(bits, variable), stamp, row);
  }

  /** Whether a row has the stamp and the node of the row before. */
  private boolean isTwice(Rows rows, int row) {
    if (row == firstRow || rows.hlc(row - 1) != rows.hlc(row)) {
      return false;
    }
    int node = rows.names(row).node(rows.row(row));
    return node != NodeTable.NONE && node == rows.names(row - 1).node(rows.row(row - 1));
  }

  /**
   * Adds a write of the row that is being added: a number of the variable's type.
   *
   * @return false if the row has written the variable already
   */
  private boolean add(VariableColumn variable, int node, long number, long stamp, int row) {
    BatchColumn column = written(variable);
    if (column.endsAt(size)) {
      return false;
    }
    stamps[size] = stamp;
    rowOf[size] = row;
    column.add(node, number, stamp, size);
    isWritten = true;
    return true;
  }

  /** The row after the last one. */
  int endRow() {
    return endRow;
  }

  /** The row of a place in its window. */
  int row(int place) {
    return isDense ? firstRow + place : rowOf[place];
  }

  /** The first place at or after a row. */
  int placeOf(int row) {
    return isDense ? row - firstRow : firstAt(row, rowOf, size);
  }

  /** The index of the first of some ascending numbers that is at least another one. */
  static int firstAt(int number, int[] ascending, int count) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ascending[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first place above a packed stamp. */
  int placeAfter(long stamp) {
    if (size == 0 || stamps[size - 1] <= stamp) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (stamps[middle] <= stamp) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The place after the last one of the stamp of the place before a place, at most {@code end}. */
  int stampEnd(int place, int end) {
    int at = Math.min(place, end);
    while (at < end && stamps[at] == stamps[at - 1]) {
      at++;
    }
    return at;
  }

  /** The first place of the stamp of a place, at or after {@code from}. */
  int stampStart(int place, int from) {
    int at = place;
    while (at > from && stamps[at - 1] == stamps[place]) {
      at--;
    }
    return at;
  }

  /** Whether a place is the last one of its stamp before {@code end}. */
  boolean endsStamp(int place, int end) {
    return place + 1 == end || stamps[place] != stamps[place + 1];
  }

  /** The number of stamps of the places {@code from} to {@code to - 1}. */
  int countStamps(int from, int to) {
    if (from == to) {
      return 0;
    }
    return isDense
        ? to - from - firstAt(to, ties, tieCount) + firstAt(from + 1, ties, tieCount)
        : 1 + countChanges(stamps, from + 1, to);
  }

  private static int countChanges(long[] stamps, int from, int to) {
    int changes = 0;
    for (int i = from; i < to; i++) {
      changes += stamps[i] == stamps[i - 1] ? 0 : 1;
    }
    return changes;
  }

  /** What a predicate is evaluated over at present. */
  public Domain domain() {
    return domain;
  }

  /** The number of values that each part of a predicate has in the present domain. */
  public int size() {
    return values;
  }

  /** Changes the domain; returns the one before. */
  public Domain enter(Domain next, int size) {
    Domain before = domain;
    domain = next;
    values = size;
    return before;
  }

  /** A number that only the selected part has. */
  long part() {
    return part;
  }

  /** Begins a part of a block that is not read; its columns are selected next. */
  long beginPart() {
    return ++part;
  }

  /** Whether a rule is quiet over the places {@code from} to {@code to - 1}, by bounds. */
  boolean isQuietInRange(QuietRule rule, int from, int to) {
    if (firstOther(from, to) < to) {
      return false;
    }
    enter(Domain.RANGE, 2);
    boolean quiet = rule.isQuiet();
    enter(Domain.PRESENT, 1);
    return quiet;
  }

  /** Whether a rule is quiet over a block that is not read, whose columns are selected. */
  boolean isQuietOverBlock(QuietRule rule) {
    enter(Domain.RANGE, 2);
    boolean quiet = rule.isQuietOverBlock();
    enter(Domain.PRESENT, 1);
    return quiet;
  }

  /**
   * Selects the places {@code from} to {@code to - 1}; returns the first one that has another write
   * than one that replaces a number by another, {@code to} if there is none.
   */
  private int firstOther(int from, int to) {
    int nodes = state.nodes().size();
    int first = to;
    part++;
    for (BatchColumn column : columns) {
      column.select(from, to, part);
      first = Math.min(first, column.firstOther(nodes, to));
    }
    return first;
  }

  /** Whether a place is in the part that is examined, and the nodes are what they were then. */
  boolean isExamined(int place) {
    return examined == part
        && partStart <= place
        && place < partEnd
        && partNodes == state.nodes().size();
  }

  /**
   * Begins to examine a part of about this number of places, from one on; returns false if its
   * first stamp does more than replace numbers.
   */
  boolean examine(int from, int end, int places) {
    int to = stampEnd(from + places, end);
    int first = firstOther(from, to);
    if (first < to) {
      to = stampStart(first, from);
      firstOther(from, to);
    }
    if (to == from) {
      return false;
    }
    for (BatchColumn column : columns) {
      column.beginSeries();
    }
    examined = part;
    partStart = from;
    partEnd = to;
    partNodes = state.nodes().size();
    return true;
  }

  /** The first place of the part that is examined. */
  int partStart() {
    return partStart;
  }

  /** The place after the last one of the part that is examined. */
  int partEnd() {
    return partEnd;
  }

  /** The number of places of the selected part if it is examined, otherwise 0. */
  int placesOfPart() {
    return examined == part ? partEnd - partStart : 0;
  }

  /**
   * Returns what a rule is at each place of the part that is examined, in an array that may be
   * longer and that is valid until the next part.
   */
  public byte[] truths(QuietRule rule) {
    Outcomes known = outcomes(rule);
    if (known.part != part || known.revision != rule.revision()) {
      int places = partEnd - partStart;
      known.truths = known.truths.length < places ? new byte[2 * places] : known.truths;
      known.part = part;
      known.revision = rule.revision();
      int valuesBefore = values;
      Domain before = enter(Domain.PLACES, places);
      rule.evaluate(this, known.truths);
      enter(before, valuesBefore);
    }
    return known.truths;
  }

  private Outcomes outcomes(QuietRule rule) {
    for (Outcomes known : outcomes) {
      if (known.rule == rule) {
        return known;
      }
    }
    if (outcomes.size() > MAX_KEPT_COLUMNS) {
      outcomes.removeIf(known -> known.part != part);
    }
    Outcomes added = new Outcomes(rule);
    outcomes.add(added);
    return added;
  }

  /** Applies the writes of the places {@code from} to {@code to - 1}, which replace numbers. */
  void apply(int from, int to) {
    for (BatchColumn column : columns) {
      column.apply(from, to);
    }
  }
}
