// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A hybrid logical clock. Its stamps follow physical time, are strictly increasing, and respect
 * happened-before across every message that carries one. Lock-free and thread-safe. A stamp takes
 * about 40 ns and allocates nothing, except {@link #observe(long)}, which allocates one object.
 *
 * <p>After Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical Physical Clocks" (2014), with both
 * parts in one word as in {@link HlcTimestamp}.
 */
public final class HybridLogicalClock {
  /*
   * tick    = max(last + 1, pack(physical))
   * observe = max(last + 1, remote + 1, pack(physical))
   *
   * Each is one compare-and-set. Every attempt loads `last` first and then reads the physical
   * clock. With a reading taken before the loop, a preempted thread could pair an old reading with
   * a new stamp. That would look like a skew of tens of milliseconds that never existed, and
   * alignment takes maxima over such differences.
   *
   * A thread whose attempt fails pauses for about a microsecond before it retries. Otherwise, while
   * two threads compete, the cache line with `last` would move between their cores for every stamp
   * and every failure, which costs more than the stamp itself. With the pause, one of them makes
   * several stamps in a row, as it would under a lock.
   *
   * A logical overflow carries into the microseconds (it is a single addition), which preserves the
   * order.
   *
   * A dedicated thread stores a bound ahead of the stamps, see StoredLimit. A caller that exceeds
   * the bound wakes that thread and does not wait: the stamp above the bound is given out anyway,
   * and isBound() returns false for it.
   */
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  /* The last stamp has a cache line to itself. */
  private static final int LAST = 16;
  private static final int CELL_COUNT = 32;

  private static final int FIRST_SPINS = 32;
  private static final int MAX_SPINS = 128;

  private final PhysicalClock physical;
  private final long maxOffsetMicros;
  private final RemotePolicy policy;
  private final long[] cells = new long[CELL_COUNT];
  private final StoredLimit limit;
  private final long floor;
  private final LongAdder refused = new LongAdder();
  private final LongAdder clamped = new LongAdder();
  private final LongAdder acceptedBeyondLimit = new LongAdder();

  /**
   * The way {@link #observe} treats a remote stamp that is further ahead than {@code maxOffset},
   * which typically comes from a node whose clock is wrong until an operator repairs it.
   */
  public enum RemotePolicy {
    /**
     * Ignore the stamp; {@link #observe(long)} throws {@link ClockSkewException}. The wrong clock
     * affects no other node and leaves no trace once it is repaired. Until then, the order relative
     * to that node is lost, and receives from it are marked.
     */
    REFUSE,
    /**
     * Follow only up to {@code maxOffset} ahead of the local reading. While the wrong node sends,
     * this clock runs that far ahead; at most {@code maxOffset} after the repair it follows
     * physical time again. The order relative to the wrong node is lost as well.
     */
    CLAMP,
    /**
     * Follow any stamp up to the last year of the range. The order is preserved, but the whole
     * cluster adopts the wrong clock's time and keeps it after the repair until physical time has
     * caught up, which may never happen.
     */
    ACCEPT
  }

  /** How far ahead of the clock the bound is stored, in microseconds. */
  public static final long LEAD_MICROS = 250_000;

  /**
   * The largest reading, local or remote, that the clock follows; the range must keep one year for
   * ticks.
   */
  static final long MAX_FOLLOWED_MICROS = HlcTimestamp.MAX_MICROS - 365L * 24 * 3_600 * 1_000_000;

  private static final long MAX_FOLLOWED = HlcTimestamp.pack(MAX_FOLLOWED_MICROS);

  /** The default limit: remote stamps up to one minute ahead are followed. */
  public static final long DEFAULT_MAX_OFFSET_MICROS = 60_000_000;

  /** A clock over the machine's wall clock that refuses stamps more than a minute ahead. */
  public HybridLogicalClock() {
    this(PhysicalClock.system());
  }

  /** A clock over {@code physical} that refuses stamps more than a minute ahead. */
  public HybridLogicalClock(PhysicalClock physical) {
    this(physical, DEFAULT_MAX_OFFSET_MICROS, RemotePolicy.REFUSE);
  }

  /**
   * A clock.
   *
   * @param maxOffsetMicros how far a remote stamp may be ahead of the local reading, 0 or more
   */
  public HybridLogicalClock(PhysicalClock physical, long maxOffsetMicros, RemotePolicy policy) {
    this(physical, maxOffsetMicros, policy, null, HlcTimestamp.MIN_PACKED, HlcTimestamp.MIN_PACKED);
  }

  private HybridLogicalClock(
      PhysicalClock physical,
      long maxOffsetMicros,
      RemotePolicy policy,
      @Nullable ClockBound bound,
      long before,
      long floor) {
    if (maxOffsetMicros < 0) {
      throw new IllegalArgumentException("maxOffsetMicros < 0: " + maxOffsetMicros);
    }
    this.physical = physical;
    this.maxOffsetMicros = maxOffsetMicros;
    this.policy = policy;
    this.limit = new StoredLimit(bound, before);
    this.floor = floor;
    CELL.setVolatile(cells, LAST, before);
  }

  /**
   * A clock whose stamps are above all stamps given out by an earlier clock with the same bound,
   * even if the physical clock has stepped back in the meantime. It may block for up to {@link
   * #LEAD_MICROS} until physical time has passed the bound; otherwise it starts above the bound,
   * see {@link #floor}. The guarantee extends from this clock to the next one only after {@link
   * #keepBound} has been called.
   *
   * @throws ClockBoundException if the bound is further ahead than {@code maxOffsetMicros} and the
   *     lead could have moved the previous clock; under {@link RemotePolicy#ACCEPT} only if it is
   *     in the last year of the range
   * @throws IOException if the bound cannot be loaded
   */
  public static HybridLogicalClock restored(
      PhysicalClock physical, long maxOffsetMicros, RemotePolicy policy, ClockBound bound)
      throws IOException {
    long before = bound.load().orElse(HlcTimestamp.MIN_PACKED);
    long reading = inRange(physical.micros());
    long ahead = HlcTimestamp.micros(before) - reading;
    boolean beyond = policy != RemotePolicy.ACCEPT && ahead - LEAD_MICROS > maxOffsetMicros;
    if (beyond || before > MAX_FOLLOWED) {
      throw new ClockBoundException(ahead, maxOffsetMicros, reading);
    }
    boolean first = before == HlcTimestamp.MIN_PACKED;
    boolean passed = first || ahead < 0 || (ahead <= LEAD_MICROS && awaitPassed(physical, before));
    // The lead also covers the carries of ticks into the microseconds before physical time catches
    // up.
    long floor = passed ? HlcTimestamp.MIN_PACKED : StoredLimit.withLead(before);
    return new HybridLogicalClock(physical, maxOffsetMicros, policy, bound, before, floor);
  }

  /**
   * A clock that starts at physical time and does not load the bound, which abandons the order
   * relative to the stamps of earlier clocks. Its own stamps are bounded like those of any other
   * clock.
   */
  public static HybridLogicalClock reset(
      PhysicalClock physical, long maxOffsetMicros, RemotePolicy policy, ClockBound bound) {
    long none = HlcTimestamp.MIN_PACKED;
    return new HybridLogicalClock(physical, maxOffsetMicros, policy, bound, none, none);
  }

  /**
   * Waits for about the lead at most, because a stopped physical clock must not stop the service.
   */
  private static boolean awaitPassed(PhysicalClock physical, long stamp) {
    boolean interrupted = false;
    try {
      for (int millis = 0; millis <= LEAD_MICROS / 1_000; millis++) {
        if (stampOf(physical.micros()) > stamp) {
          return true;
        }
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(1_000_000);
      }
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The stamp of a reading; the lowest stamp for a reading that is not followed. */
  private static long stampOf(long micros) {
    boolean followed = (micros ^ Long.MIN_VALUE) <= (MAX_FOLLOWED_MICROS ^ Long.MIN_VALUE);
    return followed ? HlcTimestamp.packInRange(micros) : HlcTimestamp.MIN_PACKED;
  }

  /** The reading, clamped to the range of stamps. */
  private static long inRange(long micros) {
    return Math.max(0, Math.min(HlcTimestamp.MAX_MICROS, micros));
  }

  /** Advances the clock for a local or send event and returns the packed stamp. */
  public long tick() {
    int spins = FIRST_SPINS;
    while (true) {
      long previous = last();
      long next = Math.max(previous + 1, stampOf(physical.micros()));
      if (CELL.compareAndSet(cells, LAST, previous, next)) {
        if (next > limit.get()) {
          limit.wake();
        }
        return next;
      }
      spins = backOff(spins);
    }
  }

  /** Pauses, and returns the length of the next pause. */
  private static int backOff(int spins) {
    for (int i = 0; i < spins; i++) {
      Thread.onSpinWait();
    }
    return Math.min(2 * spins, MAX_SPINS);
  }

  /** Like {@link #tick()}, and also reports the raw reading. */
  public void tick(HlcReading out) {
    int spins = FIRST_SPINS;
    while (true) {
      long previous = last();
      long reading = physical.micros();
      long next = Math.max(previous + 1, stampOf(reading));
      if (CELL.compareAndSet(cells, LAST, previous, next)) {
        if (next > limit.get()) {
          limit.wake();
        }
        out.hlc = next;
        out.physicalMicros = reading;
        return;
      }
      spins = backOff(spins);
    }
  }

  /**
   * Advances the clock past the stamp of a received message and returns the receive event's stamp.
   *
   * @throws ClockSkewException if the stamp is too far ahead and the policy is {@link
   *     RemotePolicy#REFUSE}
   */
  public long observe(long remote) {
    HlcReading out = new HlcReading();
    if (!observe(remote, out) && policy == RemotePolicy.REFUSE) {
      throw new ClockSkewException(
          HlcTimestamp.micros(remote) - out.physicalMicros, maxOffsetMicros);
    }
    return out.hlc;
  }

  /**
   * Advances the clock past a remote stamp and also reports the raw reading. Never throws: a stamp
   * that is too far ahead is counted, and under {@link RemotePolicy#REFUSE} the clock ticks as if
   * there were no remote stamp.
   *
   * @return whether the new stamp is above the remote one
   */
  public boolean observe(long remote, HlcReading out) {
    int spins = FIRST_SPINS;
    while (true) {
      long previous = last();
      long reading = physical.micros();
      if (isBeyond(remote, reading)) {
        // Right after a suspend, the local reading is the wrong one.
        reading = physical.freshMicros();
      }
      boolean beyond = isBeyond(remote, reading);
      long own = Math.max(previous + 1, stampOf(reading));
      long next = Math.max(own, beyond ? beyondLimit(remote, reading) : remote + 1);
      if (CELL.compareAndSet(cells, LAST, previous, next)) {
        if (next > limit.get()) {
          limit.wake();
        }
        out.hlc = next;
        out.physicalMicros = reading;
        if (beyond) {
          countBeyondLimit();
        }
        return next > remote;
      }
      spins = backOff(spins);
    }
  }

  private boolean isBeyond(long remote, long reading) {
    return remote > MAX_FOLLOWED
        || HlcTimestamp.micros(remote) - inRange(reading) > maxOffsetMicros;
  }

  private long beyondLimit(long remote, long reading) {
    return switch (policy) {
      case REFUSE -> HlcTimestamp.MIN_PACKED;
      case CLAMP -> stampOf(inRange(reading) + maxOffsetMicros);
      case ACCEPT -> remote > MAX_FOLLOWED ? HlcTimestamp.MIN_PACKED : remote + 1;
    };
  }

  private void countBeyondLimit() {
    switch (policy) {
      case REFUSE -> refused.increment();
      case CLAMP -> clamped.increment();
      case ACCEPT -> acceptedBeyondLimit.increment();
    }
  }

  /**
   * Starts the daemon thread that stores the bound, ahead of the stamps and also while the clock is
   * idle; no other thread ever waits for it. Has no effect if the clock has no bound or the thread
   * was started before.
   */
  public void keepBound(String threadName) {
    limit.keep(threadName, this::extendBound, this::lowerBound);
  }

  void extendBound() {
    limit.extend(() -> Math.max(last(), stampOf(physical.micros())));
  }

  void lowerBound() {
    limit.lower(this::last);
  }

  /**
   * Lowers the bound to the last stamp, so that the next clock need not wait, and ends the thread
   * that stores it. Stamps given out after this call are not bounded.
   *
   * @return whether this completed within the timeout; if not, the bound is still in use
   */
  public boolean settleBound(Duration timeout) {
    return limit.end(timeout);
  }

  /**
   * Whether the stamps of the next clock with this bound will be above this stamp; true if the
   * clock has no bound.
   */
  public boolean isBound(long stamp) {
    return stamp <= limit.get();
  }

  /** The last stamp given out, without advancing the clock. */
  public long last() {
    return (long) CELL.getVolatile(cells, LAST);
  }

  /**
   * The stamp up to which stamps are no evidence for clock alignment, because they may follow an
   * earlier reading of this node's clock; {@link HlcTimestamp#MIN_PACKED} if there is none.
   */
  public long floor() {
    return floor;
  }

  /** The number of failures to store the bound; the clock continued without it. */
  public long boundFailureCount() {
    return limit.failureCount();
  }

  /** The number of remote stamps refused since the start. */
  public long refusedCount() {
    return refused.sum();
  }

  /** The number of remote stamps clamped since the start. */
  public long clampedCount() {
    return clamped.sum();
  }

  /** The number of remote stamps followed although they were beyond {@code maxOffset}. */
  public long acceptedBeyondLimitCount() {
    return acceptedBeyondLimit.sum();
  }
}
