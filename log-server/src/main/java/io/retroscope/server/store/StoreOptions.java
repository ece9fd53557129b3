// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.server.memory.MemoryBudget;

/**
 * The limits and options of a store.
 *
 * @param cacheBytes memory for recently used blocks, within the budget
 * @param memory the budget to which the cache and the backlog are charged
 * @param maxOffsetMicros the largest lead of a stamp over the server's clock; events with a larger
 *     lead are quarantined
 * @param recover whether to start without the data that damage has destroyed
 * @param sealing the sizes in which blocks are sealed
 * @param stores the number of stores that share the budget, at least 1
 */
public record StoreOptions(
    long cacheBytes,
    MemoryBudget memory,
    long maxOffsetMicros,
    boolean recover,
    SealLimits sealing,
    int stores) {
  /** The options that the server uses if nothing is configured. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(
          64L << 20, MemoryBudget.ofProcess(), HybridLogicalClock.DEFAULT_MAX_OFFSET_MICROS);

  /** The options of a store that refuses to start without everything that it acknowledged. */
  public StoreOptions(long cacheBytes, MemoryBudget memory, long maxOffsetMicros) {
    this(cacheBytes, memory, maxOffsetMicros, false, SealLimits.DEFAULT, 1);
  }

  /** A copy for a start without the data that damage has destroyed. */
  public StoreOptions recovering() {
    return new StoreOptions(cacheBytes, memory, maxOffsetMicros, true, sealing, stores);
  }

  /** A copy with other sizes of sealed blocks. */
  public StoreOptions sealingBy(SealLimits limits) {
    return new StoreOptions(cacheBytes, memory, maxOffsetMicros, recover, limits, stores);
  }

  /** The options of each of several stores that have all of this together. */
  public StoreOptions sharedBy(int count) {
    return new StoreOptions(cacheBytes / count, memory, maxOffsetMicros, recover, sealing, count);
  }

  /** Checks the ranges. */
  public StoreOptions {
    if (cacheBytes < 0 || maxOffsetMicros < 0 || stores < 1) {
      throw new IllegalArgumentException(
          "cacheBytes=%d maxOffsetMicros=%d stores=%d"
              .formatted(cacheBytes, maxOffsetMicros, stores));
    }
  }

  /**
   * The sizes in which blocks are sealed.
   *
   * @param rows of a sealed block
   * @param batchRows the number of rows that are sealed together, and from which on a batch begins
   * @param batchBlocks the number of blocks from which on a batch begins, however few rows they
   *     have
   */
  public record SealLimits(int rows, int batchRows, int batchBlocks) {
    /** The sizes that the server uses. */
    public static final SealLimits DEFAULT = new SealLimits(Sealing.ROWS, 8 * Sealing.ROWS, 4_096);

    /** Checks the ranges. */
    public SealLimits {
      if (rows < 1 || rows > SealedSummary.MAX_ROWS || batchRows < 1 || batchBlocks < 1) {
        throw new IllegalArgumentException(
            "rows=%d batchRows=%d batchBlocks=%d".formatted(rows, batchRows, batchBlocks));
      }
    }
  }
}
