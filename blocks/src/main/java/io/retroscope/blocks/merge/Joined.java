// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block that is made of the rows of others. Used by one thread. */
interface Joined extends BlockSource {
  /** A block and its {@link BlockSource#arrival}. */
  record Numbered(BlockSource source, long number) {}

  /**
   * Returns, once, the blocks that the last {@link #read} could not join. A merge must read them by
   * themselves. None of their rows precedes all of this block's range, unless it precedes the range
   * of the merge.
   */
  List<Numbered> takeLeft();

  /** The blocks of the rows of the block that was read last; null if there was none. */
  @Nullable Arrivals arrivals();
}
