// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.List;

/** The stores of a merge, each of which may move while it is read. Used by one thread. */
public interface BlockSets {
  /**
   * Returns a set of each store; together they have all rows from a stamp on. The sets of earlier
   * calls are not used any more.
   *
   * @param hlc packed
   */
  List<BlockSet> from(long hlc);
}
