package io.retroscope.server.store;

import io.retroscope.clock.HybridLogicalClock;

/**
 * What a store may use.
 *
 * @param cacheBytes of memory for blocks that were read lately
 * @param queueBytes of submissions that wait to be written
 * @param maxOffsetMicros how far ahead of the server's clock a stamp may lie; what lies further is
 *     quarantined
 * @param recover whether to start without what damage has destroyed
 */
public record StoreOptions(
    long cacheBytes, long queueBytes, long maxOffsetMicros, boolean recover) {
  /** What the server uses when nothing is configured. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(64L << 20, 256L << 20, HybridLogicalClock.DEFAULT_MAX_OFFSET_MICROS);

  /** Of a store that refuses to start without what it has acknowledged. */
  public StoreOptions(long cacheBytes, long queueBytes, long maxOffsetMicros) {
    this(cacheBytes, queueBytes, maxOffsetMicros, false);
  }

  /** The same for a start without what damage has destroyed. */
  public StoreOptions recovering() {
    return new StoreOptions(cacheBytes, queueBytes, maxOffsetMicros, true);
  }

  /** Checks the ranges. */
  public StoreOptions {
    if (cacheBytes < 0 || queueBytes < 1 || maxOffsetMicros < 0) {
      throw new IllegalArgumentException(
          "cacheBytes=%d queueBytes=%d maxOffsetMicros=%d"
              .formatted(cacheBytes, queueBytes, maxOffsetMicros));
    }
  }
}
