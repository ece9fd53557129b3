package io.retroscope.clock;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The stamp above which a clock gives none out before a higher one is stored as its bound.
 * Thread-safe.
 */
final class StoredLimit {
  /*
   * A clock moves `last` first and compares with the limit then, before it returns the stamp: a stamp that nobody has
   * seen need not be below the bound. In this order settle() misses none: a thread that still read the old limit has
   * moved `last` before settle() reads it.
   */
  private static final long LEAD_PACKED =
      HybridLogicalClock.LEAD_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final @Nullable ClockBound bound;
  private final LongAdder failures = new LongAdder();
  private volatile long limit;

  /** A limit above everything where there is no bound, below everything where there is. */
  StoredLimit(@Nullable ClockBound bound) {
    this.bound = bound;
    this.limit = bound == null ? HlcTimestamp.MAX_PACKED : HlcTimestamp.MIN_PACKED;
  }

  long get() {
    return limit;
  }

  /** Makes room for a stamp and those of the lead after it. */
  synchronized void raiseAbove(long stamp) {
    if (stamp > limit) {
      store(stamp > HlcTimestamp.MAX_PACKED - LEAD_PACKED ? stamp : stamp + LEAD_PACKED);
    }
  }

  /** Raises the limit when less than half of the lead is left. */
  void extend(long now) {
    if (bound != null && (now > limit || limit - now < LEAD_PACKED / 2)) {
      synchronized (this) {
        store(now > HlcTimestamp.MAX_PACKED - LEAD_PACKED ? now : now + LEAD_PACKED);
      }
    }
  }

  /** Lowers the limit to the last stamp. */
  synchronized void settle(LongSupplier last) {
    if (bound != null) {
      limit = HlcTimestamp.MIN_PACKED;
      store(last.getAsLong());
    }
  }

  /** The clock goes on if storing fails: a service must not stop for it. */
  private void store(long next) {
    try {
      if (bound != null) {
        bound.store(next);
      }
    } catch (IOException e) {
      failures.increment();
    }
    limit = next;
  }

  long failureCount() {
    return failures.sum();
  }
}
