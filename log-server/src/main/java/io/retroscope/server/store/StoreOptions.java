package io.retroscope.server.store;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.server.memory.MemoryBudget;

/**
 * What a store may use.
 *
 * @param cacheBytes of memory for blocks that were read lately, within the budget
 * @param memory what the cache and the submissions that wait to be written are charged to
 * @param maxOffsetMicros how far ahead of the server's clock a stamp may lie; what lies further is
 *     quarantined
 * @param recover whether to start without what damage has destroyed
 */
public record StoreOptions(
    long cacheBytes, MemoryBudget memory, long maxOffsetMicros, boolean recover) {
  /** What the server uses when nothing is configured. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(
          64L << 20, MemoryBudget.ofProcess(), HybridLogicalClock.DEFAULT_MAX_OFFSET_MICROS);

  /** Of a store that refuses to start without what it has acknowledged. */
  public StoreOptions(long cacheBytes, MemoryBudget memory, long maxOffsetMicros) {
    this(cacheBytes, memory, maxOffsetMicros, false);
  }

  /** The same for a start without what damage has destroyed. */
  public StoreOptions recovering() {
    return new StoreOptions(cacheBytes, memory, maxOffsetMicros, true);
  }

  /** Checks the ranges. */
  public StoreOptions {
    if (cacheBytes < 0 || maxOffsetMicros < 0) {
      throw new IllegalArgumentException(
          "cacheBytes=%d maxOffsetMicros=%d".formatted(cacheBytes, maxOffsetMicros));
    }
  }
}
