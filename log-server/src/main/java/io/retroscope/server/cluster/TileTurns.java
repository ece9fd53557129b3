// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.StoreException;

/**
 * Makes the tiles of the partitions here, one at a time, because each takes memory. Thread-safe.
 */
final class TileTurns {
  /** The memory of one tile with the most nodes and variables. */
  private static final long TILE_BYTES = 64L << 20;

  private final MemoryBudget memory;

  TileTurns(MemoryBudget memory) {
    this.memory = memory;
  }

  /**
   * Makes a tile.
   *
   * @throws TileMaker.TooLargeException if it has too many nodes
   * @throws StoreException if there is no memory for it
   */
  synchronized Tile make(TimelineBlocks blocks, TileRequest wanted) {
    try (MemoryBudget.Charge charge = memory.charge()) {
      if (!charge.tryResize(Math.min(TILE_BYTES, memory.maxChargeBytes()))) {
        throw new StoreException("there is no memory for a tile of a timeline now");
      }
      return new TileMaker(blocks, wanted.address(), wanted.limits())
          .make(wanted.logs(), wanted.variables());
    }
  }
}
