// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block with its names resolved once to the nodes and columns of a state. Used by one thread. */
public final class BlockNames {
  /*
   * A name is resolved when the first row that uses it is applied, not before: only then is the node
   * part of the cut, and only then has a state change written the variable.
   */
  static final int UNRESOLVED = -2;

  /** The marks for which a warning is made. */
  public static final int MORE = EventMark.REPAIR.bit() | EventMark.UNORDERED.bit();

  /** In place of the column of a variable that is not followed. */
  public static final VariableColumn NOT_FOLLOWED = new VariableColumn("", "", -1, new WalkTexts());

  private final CutState state;
  private final EventBlock block;
  private final int[] nodes;
  private final boolean[] counted;
  private final CutState.@Nullable LogColumns[] logs;

  /** The columns that state changes write, by the indexes of log and name. */
  private final @Nullable VariableColumn[][] written;

  /** The changes as columns, and whether they were requested. */
  private @Nullable ChangesByVariable changes;

  private boolean areChangesKnown;

  /** The numbers of the block's texts, as far as they are known. */
  private int[] textNumbers = {};

  public BlockNames(CutState state, EventBlock block) {
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

  public EventBlock block() {
    return block;
  }

  public String nodeName(int row) {
    return block.nodes().get(block.nodeIndex(row));
  }

  /** The id of the row's node, or {@link NodeTable#NONE} if it is not included. */
  public int node(int row) {
    int index = block.nodeIndex(row);
    int id = nodes[index];
    if (id == UNRESOLVED) {
      id = counted[index] ? state.nodes().idOf(block.nodes().get(index)) : NodeTable.NONE;
      nodes[index] = id;
    }
    return id;
  }

  /** The changes of a block of one log as columns; null if its rows do more. */
  public @Nullable ChangesByVariable changes() {
    if (!areChangesKnown) {
      areChangesKnown = true;
      changes = logs.length == 1 ? ChangesByVariable.of(block) : null;
    }
    return changes;
  }

  /**
   * The column that state changes of a block of one log write, {@link #NOT_FOLLOWED}, or null if it
   * is not known yet.
   */
  public @Nullable VariableColumn followed(int name) {
    return logs[0] == null ? NOT_FOLLOWED : resolve(0, name);
  }

  /** Whether any of some variables of a block of one log is followed, or may be. */
  public boolean followAny(int[] names) {
    boolean follow = false;
    for (int i = 0; i < names.length && !follow; i++) {
      follow = followed(names[i]) != NOT_FOLLOWED;
    }
    return follow;
  }

  /** The ids of the block's nodes, by their indexes, as far as they are known. */
  public int[] nodeIds() {
    return nodes;
  }

  /** Whether a log line or message of the block may change a followed value. */
  public boolean concernLines(ChangesByVariable changes) {
    CutState.LogColumns log = changes.hasLines() ? logs[0] : null;
    if (log == null) {
      return false;
    }
    boolean concern = false;
    for (EventKind kind : EventKind.values()) {
      concern |= log.followsMoments(kind) && changes.has(kind);
    }
    int[] fields = changes.fieldNames();
    for (int i = 0; i < fields.length && !concern; i++) {
      concern = resolve(0, fields[i]) != NOT_FOLLOWED;
    }
    return concern;
  }

  /** Whether two rows are of one node, which is known. */
  public boolean areOfOneNode(int row, int other) {
    return nodes[block.nodeIndex(row)] == nodes[block.nodeIndex(other)];
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

  /**
   * Replaces the bits of values, which have the type of a column, by their numbers.
   *
   * @return false if one has none
   */
  public boolean toNumbers(long[] values, int size, VariableColumn column) {
    return switch (column.packedType()) {
      case LONG, BOOLEAN -> true;
      case DOUBLE, STRING -> {
        boolean have = true;
        for (int i = 0; i < size; i++) {
          long bits = values[i];
          have &= hasNumber(bits, column);
          values[i] = number(bits, column);
        }
        yield have;
      }
      case NULL, NESTED -> false;
    };
  }

  /** Whether the value of a change, which has the type of a column, has a number. */
  public boolean hasNumber(long bits, VariableColumn column) {
    return switch (column.packedType()) {
      case LONG, BOOLEAN -> true;
      case STRING -> number(bits, column) != WalkTexts.NONE;
      case DOUBLE -> ValuePacking.isOrdered(bits);
      case NULL, NESTED -> false;
    };
  }

  /** The number of the value of a change, if it has one. */
  public long number(long bits, VariableColumn column) {
    return switch (column.packedType()) {
      case LONG, BOOLEAN -> bits;
      case STRING -> numberOfText((int) bits, column);
      case DOUBLE -> ValuePacking.ordered(bits);
      case NULL, NESTED -> throw new AssertionError("a number for a " + column.packedType());
    };
  }

  /** The number of one of the block's texts. */
  private int numberOfText(int index, VariableColumn column) {
    if (index >= textNumbers.length) {
      int known = textNumbers.length;
      textNumbers = Arrays.copyOf(textNumbers, Math.max(index + 1, 2 * known));
      Arrays.fill(textNumbers, known, textNumbers.length, WalkTexts.NONE);
    }
    if (textNumbers[index] == WalkTexts.NONE) {
      textNumbers[index] = column.packing().numberOf(block.texts().get(index));
    }
    return textNumbers[index];
  }

  /** Whether all nodes of the block are part of the cut; {@link #nodeIds} are valid then. */
  public boolean areNodesKnown() {
    boolean known = true;
    for (int i = 0; i < nodes.length && known; i++) {
      known = resolve(i) && nodes[i] != NodeTable.NONE;
    }
    return known;
  }

  /** Whether the node of a row is known to be part of the cut, or not to be included. */
  public boolean isNodeKnown(int row) {
    return resolve(block.nodeIndex(row));
  }

  /** Finds the id of a node that is part of the cut already; returns false if it is not yet. */
  public boolean resolve(int index) {
    if (nodes[index] == UNRESOLVED) {
      int known = state.nodes().find(block.nodes().get(index));
      boolean isPart = known != NodeTable.NONE || !counted[index];
      nodes[index] = isPart ? known : UNRESOLVED;
    }
    return nodes[index] != UNRESOLVED;
  }

  /** Finds the column of a variable that holds state already; null if it does not yet. */
  public @Nullable VariableColumn resolve(int log, int name) {
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
  public CutState.@Nullable LogColumns log(int row) {
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
