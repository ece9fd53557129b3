// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context of evaluation: the cut, and a slot for each bound or declared name. Used by one
 * thread.
 */
public final class Frame {
  private final CutState state;
  private final @Nullable LiveNodes liveNodes;
  private final @Nullable VariableColumn each;
  private final WorkMeter work;
  private final Value[] slots;
  private final int[] slotNodes;
  private ClockOffsets clockOffsets = ClockOffsets.UNKNOWN;
  private double bindings;

  /* The last value of NODES: a node that was met remains. */
  private SetValue allNodes = new SetValue(List.of());

  private boolean keepsGlobals;

  /**
   * Creates a frame over a state, with all slots NULL.
   *
   * @param each the present variable of FOR EACH VARIABLE, null in other queries
   */
  public Frame(
      CutState state,
      @Nullable LiveNodes liveNodes,
      @Nullable VariableColumn each,
      int slotCount,
      WorkMeter work) {
    this.state = state;
    this.liveNodes = liveNodes;
    this.each = each;
    this.work = work;
    this.slots = new Value[slotCount];
    this.slotNodes = new int[slotCount];
    Arrays.fill(slots, NullValue.NULL);
    Arrays.fill(slotNodes, NodeTable.NONE);
  }

  CutState state() {
    return state;
  }

  /** The meter of the work that is done in the cut. */
  WorkMeter work() {
    return work;
  }

  ClockOffsets clockOffsets() {
    return clockOffsets;
  }

  public void setClockOffsets(ClockOffsets offsets) {
    clockOffsets = offsets;
  }

  /** Begins the evaluation of another cut, which has its own limit of bindings. */
  public void beginCut() {
    bindings = 0;
  }

  /** Counts bindings that quantifiers try in this cut; returns their number so far. */
  double tryBindings(double more) {
    bindings += more;
    return bindings;
  }

  /** Whether COMPUTE runs again in a cut in which it has already assigned to GLOBALs. */
  boolean keepsGlobals() {
    return keepsGlobals;
  }

  public void setKeepsGlobals(boolean keeps) {
    keepsGlobals = keeps;
  }

  VariableColumn each() {
    if (each == null) {
      throw new AssertionError("no FOR EACH VARIABLE in this query");
    }
    return each;
  }

  public Value slot(int slot) {
    return slots[slot];
  }

  int slotNode(int slot) {
    return slotNodes[slot];
  }

  public void set(int slot, Value value) {
    slots[slot] = value;
  }

  /**
   * Binds a name.
   *
   * @param node the id of the node that the value comes from, or {@link NodeTable#NONE}
   */
  public void bind(int slot, Value value, int node) {
    slots[slot] = value;
    slotNodes[slot] = node;
  }

  /** The value of NODES: the names of the cut's nodes. */
  SetValue nodes() {
    NodeTable table = state.nodes();
    if (liveNodes == null && allNodes.elements().size() == table.size()) {
      return allNodes;
    }
    List<Value> names = new ArrayList<>(table.size());
    for (int node = 0; node < table.size(); node++) {
      if (liveNodes == null || liveNodes.isLive(node)) {
        names.add(Value.of(table.name(node)));
      }
    }
    allNodes = new SetValue(names);
    return allNodes;
  }
}
