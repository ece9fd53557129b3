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
 * The bound that is in force for a clock, and the thread that keeps it ahead of the stamps.
 * Thread-safe; {@link #extend} and {@link #lower} are for one thread at a time.
 */
final class StoredLimit {
  /*
   * Invariant: the bound in the file is never below the limit. So the limit moves up after a higher bound is stored,
   * and down before a lower one is.
   *
   * A clock moves `last` first and compares with the limit then. In this order lower() misses no stamp that the old
   * limit covered: a thread that still read the old limit has moved `last` before lower() reads it.
   *
   * A disk may hang for as long as it likes, so only the keeper waits for it. A thread that gives out a stamp above
   * the limit unparks the keeper and continues; `woken` makes that one unpark per round, because a thousand threads
   * may pass a limit that a hung disk holds down. The keeper clears `woken` before it reads the clock: whoever then
   * finds it set moved the clock before that reading.
   *
   * After a failure `woken` stays set, so that the next attempt waits for the end of the pause.
   */
  /**
   * How long the keeper pauses: less than half of the lead, so that one late round does no harm.
   */
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
   * @param bound where it is stored; null for a clock without, whose limit is above everything
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

  /** Whether the keeper will not pause before its next round. */
  boolean isWoken() {
    return woken;
  }

  /** Has the limit raised soon. Never waits. */
  void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(keeper);
    }
  }

  /**
   * Starts the keeper, which calls {@code extend} again and again, and at the end {@code lower}.
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
                // Someone's interrupt must not make every later pause return at once.
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

  /** Ends the keeper; whether it has ended within the time. An interrupt does not end the wait. */
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

  /** Stores a bound that is the lead above what the clock has reached, if the limit is lower. */
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

  /** A stamp with the lead added, as far as the range goes. */
  static long withLead(long stamp) {
    return stamp > HlcTimestamp.MAX_PACKED - LEAD_PACKED
        ? HlcTimestamp.MAX_PACKED
        : stamp + LEAD_PACKED;
  }

  /** Whether it is stored. The clock continues without: a service must not stop for it. */
  private boolean store(long next) {
    try {
      if (bound != null) {
        bound.store(next);
      }
      failing = false;
      return true;
    } catch (IOException | RuntimeException | Error e) {
      // Also an Error, because without its keeper the clock would never have a bound again.
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
