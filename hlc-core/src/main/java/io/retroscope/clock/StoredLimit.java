// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bound in force for a clock, and the thread that keeps it ahead of the stamps. Thread-safe;
 * {@link #extend} and {@link #lower} must be called by one thread at a time.
 */
final class StoredLimit {
  /*
   * Invariant: the bound in the file is never below the limit. So the limit moves up after a higher
   * bound is stored, and down before a lower one is.
   *
   * A clock first moves `last` and then compares it with the limit. In this order, lower() misses
   * no stamp that the old limit covered: a thread that still read the old limit has moved `last`
   * before lower() reads it.
   *
   * A disk may hang indefinitely, so only the keeper waits for it. A thread that gives out a stamp
   * above the limit unparks the keeper and continues. `woken` reduces this to one unpark per round,
   * because a thousand threads may exceed a limit that a hung disk keeps low. The keeper clears
   * `woken` before it reads the clock: a thread that finds it set before that has moved the clock
   * before that reading.
   *
   * After a failure `woken` remains set, so that the next attempt waits for the end of the pause.
   */
  /** The keeper's pause: less than half of the lead, so that one late round is harmless. */
  static final long PAUSE_NANOS = 100_000_000;

  private static final long LEAD_PACKED =
      HybridLogicalClock.LEAD_MICROS << HlcTimestamp.LOGICAL_BITS;

  private static final System.Logger LOGGER = System.getLogger(StoredLimit.class.getName());

  private final @Nullable ClockBound bound;
  private final LongAdder failures = new LongAdder();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile long limit;
  private volatile boolean woken;
  private volatile boolean ending;
  private volatile @Nullable Thread keeper;
  private boolean failing;

  /**
   * A limit.
   *
   * @param bound the storage of the bound; null for a clock without a bound, whose limit is above
   *     every stamp
   * @param stored the bound in force
   */
  StoredLimit(@Nullable ClockBound bound, long stored) {
    this.bound = bound;
    this.limit = bound == null ? HlcTimestamp.MAX_PACKED : stored;
  }

  long get() {
    return limit;
  }

  long failureCount() {
    return failures.sum();
  }

  /** Requests that the limit be raised soon. Never blocks. */
  void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(keeper);
    }
  }

  /**
   * Starts the keeper, which calls {@code extend} periodically, and {@code lower} once at the end.
   */
  void keep(String threadName, Runnable extend, Runnable lower) {
    if (bound == null || keeper != null) {
      return;
    }
    Thread thread =
        new Thread(
            () -> {
              while (!ending) {
                extend.run();
                LockSupport.parkNanos(this, PAUSE_NANOS);
                // An interrupt must not make every later pause return immediately.
                Thread.interrupted();
              }
              lower.run();
              ended.countDown();
            },
            threadName);
    thread.setDaemon(true);
    keeper = thread;
    thread.start();
  }

  /**
   * Ends the keeper, and returns whether it has ended within the timeout. An interrupt does not end
   * the wait.
   */
  boolean end(Duration timeout) {
    Thread thread = keeper;
    if (thread == null) {
      return true;
    }
    ending = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stores a bound that exceeds the clock's last stamp by the lead, if the limit is lower. */
  void extend(LongSupplier reached) {
    woken = false;
    long next = withLead(reached.getAsLong());
    if (next > limit) {
      if (store(next)) {
        limit = next;
      } else {
        woken = true;
      }
    }
  }

  /** Lowers the limit to the last stamp. */
  void lower(LongSupplier last) {
    limit = HlcTimestamp.MIN_PACKED;
    long settled = last.getAsLong();
    if (store(settled)) {
      limit = settled;
    }
  }

  /** A stamp with the lead added, limited to the range. */
  static long withLead(long stamp) {
    return stamp > HlcTimestamp.MAX_PACKED - LEAD_PACKED
        ? HlcTimestamp.MAX_PACKED
        : stamp + LEAD_PACKED;
  }

  /**
   * Stores the bound, and returns whether that succeeded. After a failure the clock continues
   * without a bound, because a service must not stop because of it.
   */
  private boolean store(long next) {
    try {
      if (bound != null) {
        bound.store(next);
      }
      failing = false;
      return true;
    } catch (IOException | RuntimeException | Error e) {
      // Errors are caught as well, because without its keeper the clock would never have a bound
      // again.
      failures.increment();
      if (!failing) {
        failing = true;
        LOGGER.log(
            System.Logger.Level.WARNING,
            "cannot store the clock's bound; stamps are marked as unbound until it can be stored",
            e);
      }
      return false;
    }
  }
}
