// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.batch.Rows;
import io.retroscope.rql.cut.state.BlockNames;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.NodeTable;

/**
 * A walk over the single events of a range, which applies each to the state of its node. Unlike
 * {@link CutWalker} it makes no cuts: equal stamps of different nodes are different events. Used by
 * one thread.
 */
public final class LocalWalk {
  private final CutState state;
  private final Interest interest;
  private final Listener listener;
  private final PerBlock<BlockNames> names;
  private long eventsRead;

  /** A listener to the events of a walk, in the order of their stamps. */
  public interface Listener {
    /** Receives an event before the range that may matter to the state at its start. */
    void earlier(EventBlock block, int row);

    /**
     * Receives an event before its changes.
     *
     * @return whether more events are wanted
     */
    boolean before(EventBlock block, int row);

    /**
     * Receives a change of followed values at a node. A value that holds only for an event makes
     * two changes: it appears, and it disappears before the node's next event.
     *
     * @param node the id in the state's table
     * @param hlc packed, the stamp of the event
     */
    void changed(int node, long hlc);

    /** Receives an event after its changes. */
    void after(EventBlock block, int row);

    /** Receives a warning that affects the meaning of the result. */
    void warning(EventWarning warning);
  }

  /**
   * Creates a walk.
   *
   * @param state follows the variables
   * @param interest selects the events to read, of whatever nodes
   */
  public LocalWalk(CutState state, Interest interest, Listener listener) {
    this.state = state;
    this.interest = interest;
    this.listener = listener;
    this.names = new PerBlock<>(block -> new BlockNames(state, block));
  }

  /** The number of events read from storage. */
  public long eventsRead() {
    return eventsRead;
  }

  /**
   * Moves the state to the one before a range.
   *
   * @param hlc packed, the first stamp of the range
   */
  public void start(View view, long hlc) {
    for (Rows rows = rows(view.stateBefore(interest, hlc)); rows.has(); rows.advance()) {
      eventsRead++;
      state.begin(rows.hlc());
      state.apply(rows.names(), rows.row());
      listener.earlier(rows.names().block(), rows.row());
    }
    state.endMomentary();
  }

  /** Walks a range, once. */
  public void walk(View view, HlcRange range) {
    boolean continues = true;
    for (Rows rows = rows(view.scan(interest, range)); continues && rows.has(); rows.advance()) {
      eventsRead++;
      EventBlock block = rows.names().block();
      continues = listener.before(block, rows.row());
      apply(rows.names(), rows.row(), rows.hlc());
      listener.after(block, rows.row());
    }
  }

  private Rows rows(ArrivalWindow window) {
    return new Rows(window, names);
  }

  private void apply(BlockNames rowNames, int row, long hlc) {
    int node = rowNames.node(row);
    if (node == NodeTable.NONE) {
      return;
    }
    state.begin(hlc);
    String refusal = state.apply(rowNames, row);
    if (refusal != null) {
      listener.warning(new EventWarning(rowNames.nodeName(row), hlc, "was ignored: " + refusal));
    }
    if (!state.touched().isEmpty()) {
      listener.changed(node, hlc);
    }
    if (state.hasMomentary()) {
      state.endMomentary();
      listener.changed(node, hlc);
    }
  }
}
