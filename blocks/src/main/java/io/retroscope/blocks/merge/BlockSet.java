// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.List;
import java.util.Optional;

/**
 * The blocks of one store for a merge with those of others.
 *
 * @param sources in the order of their arrival
 * @param join further blocks, which are joined before
 */
public record BlockSet(List<BlockSource> sources, Optional<JoinedBlocks.Rule> join) {
  /** Copies the list. */
  public BlockSet {
    sources = List.copyOf(sources);
  }
}
