// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.merge.EncodedBatch;
import io.retroscope.event.EventBlock;
import io.retroscope.server.memory.LruCache;
import io.retroscope.server.memory.MemoryBudget;

/** A cache of recently used decoded blocks, bounded in bytes. Thread-safe. */
final class BlockCache extends LruCache<Long, EventBlock> {
  /**
   * A cache.
   *
   * @param maxBytes the largest amount of memory for the blocks
   * @param budget the budget to which the memory is charged
   */
  BlockCache(long maxBytes, MemoryBudget budget) {
    super(maxBytes, EventBlock::memoryBytes, budget);
  }

  /** Adds those of some blocks that the cache has. */
  void addTo(long[] ids, EncodedBatch to) {
    for (int i = 0; i < ids.length && sizeBytes() > 0; i++) {
      EventBlock block = get(ids[i]);
      if (block != null) {
        to.add(i, block);
      }
    }
  }
}
