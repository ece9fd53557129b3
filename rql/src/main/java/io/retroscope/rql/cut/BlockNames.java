package io.retroscope.rql.cut;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
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

  private static final VariableColumn NOT_FOLLOWED = new VariableColumn("", "");

  private final CutState state;
  private final EventBlock block;
  private final int[] nodes;
  private final boolean[] counted;
  private final CutState.@Nullable LogColumns[] logs;

  /** The columns that state changes write, by the indexes of log and name. */
  private final @Nullable VariableColumn[][] written;

  private @Nullable VariableColumn onlyColumn;

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
   * Returns the column into which every row writes a LONG and does nothing else; null if there is
   * none, or if it is not known yet.
   */
  @Nullable VariableColumn onlyColumn() {
    if (onlyColumn == null && block.writesLongsOnly() && written.length == 1) {
      boolean known = written[0].length == 1;
      for (int i = 0; i < nodes.length && known; i++) {
        known = resolve(i) && nodes[i] != NodeTable.NONE;
      }
      VariableColumn column = known ? resolve(0, 0) : null;
      onlyColumn = column == NOT_FOLLOWED ? null : column;
    }
    return onlyColumn;
  }

  /** The ids of the block's nodes, by their indexes, if there is an {@link #onlyColumn}. */
  int[] nodeIds() {
    return nodes;
  }

  /**
   * Adds the LONGs that a row writes into followed variables.
   *
   * @param windowRow the row's index in its window
   * @return false if the row does more
   */
  boolean addTo(LongWrites writes, int row, int windowRow, long stamp) {
    int log = block.logIndex(row);
    if (!resolve(block.nodeIndex(row))
        || block.isMarked(row, EventMark.REPAIR)
        || block.isMarked(row, EventMark.UNORDERED)) {
      return false;
    }
    int node = nodes[block.nodeIndex(row)];
    return switch (block.kind(row)) {
      case STATE_CHANGE -> {
        boolean added = true;
        boolean concerned = logs[log] != null && node != NodeTable.NONE;
        int end = concerned ? block.endChange(row) : 0;
        for (int i = block.firstChange(row); i < end && added; i++) {
          added = addTo(writes, log, i, node, windowRow, stamp);
        }
        yield added;
      }
      case LOG_LINE, SEND, RECEIVE -> node == NodeTable.NONE || !state.concerns(this, row);
      case HEARTBEAT, START, STOP -> false;
    };
  }

  private boolean addTo(
      LongWrites writes, int log, int change, int node, int windowRow, long stamp) {
    VariableColumn column = resolve(log, block.nameIndex(change));
    if (column == NOT_FOLLOWED) {
      return true;
    }
    return column != null
        && block.type(change) == ValueType.LONG
        && block.operation(change) == Operation.SET
        && writes.add(column, node, block.bits(change), stamp, windowRow);
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
