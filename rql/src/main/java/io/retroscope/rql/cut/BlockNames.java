// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.RowCopies;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block with its names resolved once to the nodes and columns of a state. Used by one thread. */
final class BlockNames {
  /*
   * A name is resolved when the first row that uses it is applied, not before: only then is the node
   * part of the cut, and only then has a state change written the variable.
   */
  static final int UNRESOLVED = -2;

  /** The marks for which a warning is made. */
  static final int MORE = EventMark.REPAIR.bit() | EventMark.UNORDERED.bit();

  private static final VariableColumn NOT_FOLLOWED =
      new VariableColumn("", "", -1, new TextTable());

  /** In place of the writes of a variable that is not followed. */
  static final ColumnWrites NOT_WRITTEN = new ColumnWrites(NOT_FOLLOWED);

  private final CutState state;
  private final EventBlock block;
  private final int[] nodes;
  private final boolean[] counted;
  private final CutState.@Nullable LogColumns[] logs;

  /** The columns that state changes write, by the indexes of log and name. */
  private final @Nullable VariableColumn[][] written;

  private @Nullable VariableColumn onlyColumn;

  /** The writes of the columns, by the indexes of log and name. */
  private final ColumnWrites[] @Nullable [] columnWrites;

  private long renewals;

  /** The numbers of the block's texts, as far as they are known. */
  private int[] textNumbers = {};

  BlockNames(CutState state, EventBlock block) {
    this.state = state;
    this.block = block;
    nodes = new int[block.nodes().size()];
    Arrays.fill(nodes, UNRESOLVED);
    counted = new boolean[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      counted[i] = state.counts(block.nodes().get(i));
    }
    logs = new CutState.LogColumns[block.logs().size()];
    written = new VariableColumn[logs.length][];
    columnWrites = new ColumnWrites[logs.length][];
    for (int i = 0; i < logs.length; i++) {
      logs[i] = state.columnsOf(block.logs().get(i));
      written[i] = new VariableColumn[logs[i] == null ? 0 : block.variables().size()];
      if (logs[i] != null && logs[i].followsMatching()) {
        findAll(logs[i], written[i]);
      }
    }
  }

  /**
   * Finds the columns that hold state already, all at once: the processor then waits for several of
   * many columns at a time.
   */
  private void findAll(CutState.LogColumns of, @Nullable VariableColumn[] found) {
    List<String> names = block.variables();
    for (int name = 0; name < found.length; name++) {
      found[name] = of.holdingState(names.get(name));
    }
  }

  EventBlock block() {
    return block;
  }

  String nodeName(int row) {
    return block.nodes().get(block.nodeIndex(row));
  }

  /** The id of the row's node, or {@link NodeTable#NONE} if it is not included. */
  int node(int row) {
    int index = block.nodeIndex(row);
    int id = nodes[index];
    if (id == UNRESOLVED) {
      id = counted[index] ? state.nodes().idOf(block.nodes().get(index)) : NodeTable.NONE;
      nodes[index] = id;
    }
    return id;
  }

  /**
   * Returns the column into which every row writes a LONG and does nothing else; null if there is
   * none, or if it is not known yet.
   */
  @Nullable VariableColumn onlyColumn() {
    if (onlyColumn == null && block.writesLongsOnly() && written.length == 1) {
      boolean known = written[0].length == 1 && areNodesKnown();
      VariableColumn column = known ? resolve(0, 0) : null;
      onlyColumn = column == NOT_FOLLOWED ? null : column;
    }
    return onlyColumn;
  }

  /** The ids of the block's nodes, by their indexes, as far as they are known. */
  int[] nodeIds() {
    return nodes;
  }

  /**
   * Adds the numbers that a row writes into followed variables.
   *
   * @param windowRow the row's index in its window
   * @return false if the row does more
   */
  boolean addTo(LongWrites writes, int row, int windowRow, long stamp) {
    int index = block.nodeIndex(row);
    if ((nodes[index] == UNRESOLVED && !resolve(index)) || (block.markBits(row) & MORE) != 0) {
      return false;
    }
    int node = nodes[index];
    return switch (block.kind(row)) {
      case STATE_CHANGE -> addChanges(writes, row, node, windowRow, stamp);
      case LOG_LINE, SEND, RECEIVE -> node == NodeTable.NONE || !state.concerns(this, row);
      case HEARTBEAT, START, STOP -> false;
    };
  }

  /** Whether a log line or message among copied rows may change a followed value. */
  boolean concernLines(RowCopies copies, int firstRow) {
    boolean concern = false;
    for (int i = 0; i < copies.lineCount() && !concern; i++) {
      concern = state.concerns(this, firstRow + copies.lines()[i]);
    }
    return concern;
  }

  /** Whether a log line or message of the block may change a followed value. */
  boolean concernLines(ChangesByVariable changes) {
    CutState.LogColumns log = changes.hasLines() ? logs[0] : null;
    if (log == null) {
      return false;
    }
    boolean concern = false;
    for (EventKind kind : EventKind.values()) {
      concern |= MomentaryVariables.areFollowed(kind, log) && changes.has(kind);
    }
    int[] fields = changes.fieldNames();
    for (int i = 0; i < fields.length && !concern; i++) {
      concern = resolve(0, fields[i]) != NOT_FOLLOWED;
    }
    return concern;
  }

  /** Whether two of some rows are of one node, which is known, and one stamp. */
  boolean haveTwice(int row, int count) {
    int end = row + count;
    boolean have = false;
    for (int tie = block.nextTie(row + 1, end);
        tie < end && !have;
        tie = block.nextTie(tie + 1, end)) {
      have = nodes[block.nodeIndex(tie)] == nodes[block.nodeIndex(tie - 1)];
    }
    return have;
  }

  /** Whether two of the first copied rows are of one node, which is known, and one stamp. */
  boolean haveTwice(RowCopies copies, int count) {
    long[] stamps = copies.stamps();
    int[] indexes = copies.nodes();
    boolean have = false;
    for (int i = 1; i < count; i++) {
      have |= stamps[i] == stamps[i - 1] && nodes[indexes[i]] == nodes[indexes[i - 1]];
    }
    return have;
  }

  /** Whether a field of a log line has the name of a followed variable. */
  boolean followsField(int row) {
    int log = block.logIndex(row);
    boolean follows = false;
    for (int i = block.firstChange(row) + 1; i < block.endChange(row) && !follows; i++) {
      follows = resolve(log, block.nameIndex(i)) != NOT_FOLLOWED;
    }
    return follows;
  }

  private boolean addChanges(LongWrites writes, int row, int node, int windowRow, long stamp) {
    int log = block.logIndex(row);
    if (logs[log] == null || node == NodeTable.NONE) {
      return true;
    }
    int end = block.endChange(row);
    for (int i = block.firstChange(row); i < end; i++) {
      if (!addTo(writes, log, i, node, windowRow, stamp)) {
        return false;
      }
    }
    return true;
  }

  private boolean addTo(
      LongWrites writes, int log, int change, int node, int windowRow, long stamp) {
    VariableColumn column = resolve(log, block.nameIndex(change));
    if (column == NOT_FOLLOWED) {
      return true;
    }
    if (column == null
        || block.type(change) != column.packedType()
        || block.operation(change) != Operation.SET) {
      return false;
    }
    long bits = block.bits(change);
    return hasNumber(bits, column)
        && writes.add(column, node, number(bits, column), stamp, windowRow);
  }

  /** Whether the value of a change, which has the type of a column, has a number. */
  boolean hasNumber(long bits, VariableColumn column) {
    return switch (column.packedType()) {
      case STRING -> number(bits, column) != TextTable.NONE;
      case DOUBLE -> ValuePacking.isOrdered(bits);
      default -> true;
    };
  }

  /** The number of the value of a change, if it has one. */
  long number(long bits, VariableColumn column) {
    return switch (column.packedType()) {
      case STRING -> numberOfText((int) bits, column);
      case DOUBLE -> ValuePacking.ordered(bits);
      default -> bits;
    };
  }

  /** The number of one of the block's texts. */
  private int numberOfText(int index, VariableColumn column) {
    if (index >= textNumbers.length) {
      int known = textNumbers.length;
      textNumbers = Arrays.copyOf(textNumbers, Math.max(index + 1, 2 * known));
      Arrays.fill(textNumbers, known, textNumbers.length, TextTable.NONE);
    }
    if (textNumbers[index] == TextTable.NONE) {
      textNumbers[index] = column.packing().numberOf(block.texts().get(index));
    }
    return textNumbers[index];
  }

  /** The id of a node by its index; UNRESOLVED if it is not part of the cut yet. */
  int knownNode(int index) {
    int node = nodes[index];
    return node != UNRESOLVED || resolve(index) ? nodes[index] : UNRESOLVED;
  }

  /** Whether all nodes of the block are part of the cut; {@link #nodeIds} are valid then. */
  boolean areNodesKnown() {
    boolean known = true;
    for (int i = 0; i < nodes.length && known; i++) {
      known = resolve(i) && nodes[i] != NodeTable.NONE;
    }
    return known;
  }

  /**
   * The writes of the followed variables of a log by the indexes of their names, as far as they are
   * known; null if none is followed.
   */
  ColumnWrites @Nullable [] writes(LongWrites of, int log) {
    if (logs[log] == null) {
      return null;
    }
    if (renewals != of.renewals()) {
      renewals = of.renewals();
      Arrays.fill(columnWrites, null);
    }
    ColumnWrites[] known = columnWrites[log];
    if (known == null) {
      known = new ColumnWrites[block.variables().size()];
      columnWrites[log] = known;
    }
    return known;
  }

  /** The writes of a variable; null if its column is not known yet. */
  @Nullable ColumnWrites writes(LongWrites of, int log, int name) {
    ColumnWrites[] known = writes(of, log);
    if (known == null || known[name] != null) {
      return known == null ? NOT_WRITTEN : known[name];
    }
    VariableColumn column = resolve(log, name);
    if (column == null) {
      return null;
    }
    ColumnWrites found = column == NOT_FOLLOWED ? NOT_WRITTEN : of.of(column);
    known[name] = found;
    return found;
  }

  /** Finds the id of a node that is part of the cut already; returns false if it is not yet. */
  private boolean resolve(int index) {
    if (nodes[index] == UNRESOLVED) {
      int known = state.nodes().find(block.nodes().get(index));
      boolean isPart = known != NodeTable.NONE || !counted[index];
      nodes[index] = isPart ? known : UNRESOLVED;
    }
    return nodes[index] != UNRESOLVED;
  }

  /** Finds the column of a variable that holds state already; null if it does not yet. */
  private @Nullable VariableColumn resolve(int log, int name) {
    VariableColumn column = written[log][name];
    CutState.LogColumns columns = logs[log];
    if (column == null && columns != null) {
      String variable = block.variables().get(name);
      column = columns.follows(variable) ? columns.holdingState(variable) : NOT_FOLLOWED;
      written[log][name] = column;
    }
    return column;
  }

  /** The followed variables of the row's log; null if there are none. */
  CutState.@Nullable LogColumns log(int row) {
    return logs[block.logIndex(row)];
  }

  /** The column that a change of a state change writes; null if it is not followed. */
  @Nullable VariableColumn written(int row, int change) {
    int log = block.logIndex(row);
    CutState.LogColumns columns = logs[log];
    if (columns == null) {
      return null;
    }
    int name = block.nameIndex(change);
    VariableColumn column = written[log][name];
    if (column == null) {
      VariableColumn followed = columns.written(block.variables().get(name));
      column = followed == null ? NOT_FOLLOWED : followed;
      written[log][name] = column;
    }
    return column == NOT_FOLLOWED ? null : column;
  }
}
