// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.EventSource.BlockCount;

/** The reading of the blocks that hold the events of a view. Used by the thread of the view. */
public interface BlockReads {
  /** The blocks that the scans of the view have read so far. */
  BlockCount count();

  /** Prepares for many scans of the same stretch: blocks stay in memory, within a bound. */
  default void keep() {}

  /**
   * Prepares for several walks that take turns: what one has read stays in memory for the others,
   * within a bound. The view then finds the state before a stamp as {@link EventScans#stateBefore}
   * does by default.
   *
   * @return the stamps at which the walks should wait for each other, ascending; empty if that
   *     saves nothing
   */
  default long[] share() {
    return new long[0];
  }
}
