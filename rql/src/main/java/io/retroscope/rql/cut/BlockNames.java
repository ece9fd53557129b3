package io.retroscope.rql.cut;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A block with its names resolved once to the nodes and columns of a state. Used by one thread. */
final class BlockNames {
  /*
   * A name is resolved when the first row that uses it is applied, not before: only then is the node
   * part of the cut, and only then has a state change written the variable.
   */
  private static final int UNRESOLVED = -2;

  /** The column of a row that does more than {@link #replaced} covers. */
  static final VariableColumn MORE = new VariableColumn("", "");

  private static final VariableColumn NOT_FOLLOWED = new VariableColumn("", "");

  private final CutState state;
  private final EventBlock block;
  private final int[] nodes;
  private final boolean[] counted;
  private final CutState.@Nullable LogColumns[] logs;

  /** The columns that state changes write, by the indexes of log and name. */
  private final @Nullable VariableColumn[][] written;

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
    for (int i = 0; i < logs.length; i++) {
      logs[i] = state.columnsOf(block.logs().get(i));
      written[i] = new VariableColumn[logs[i] == null ? 0 : block.variables().size()];
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
   * Returns the column in which the row does nothing but write a LONG, null if it does nothing at
   * all, and {@link #MORE} in every other case.
   */
  @Nullable VariableColumn replaced(int row) {
    int log = block.logIndex(row);
    if (nodes[block.nodeIndex(row)] == UNRESOLVED
        || block.kind(row) != EventKind.STATE_CHANGE
        || block.isMarked(row, EventMark.REPAIR)
        || block.isMarked(row, EventMark.UNORDERED)) {
      return MORE;
    }
    if (logs[log] == null || nodes[block.nodeIndex(row)] == NodeTable.NONE) {
      return null;
    }
    int change = block.firstChange(row);
    if (block.endChange(row) - change != 1) {
      return MORE;
    }
    VariableColumn column = written[log][block.nameIndex(change)];
    if (column == NOT_FOLLOWED) {
      return null;
    }
    boolean plain =
        column != null
            && block.type(change) == ValueType.LONG
            && block.operation(change) == Operation.SET;
    return plain ? column : MORE;
  }

  /** The LONG that a row writes into its {@link #replaced} column. */
  long number(int row) {
    return block.bits(block.firstChange(row));
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
