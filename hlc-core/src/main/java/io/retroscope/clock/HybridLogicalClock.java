package io.retroscope.clock;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A hybrid logical clock: stamps that follow physical time, never repeat, never fall, and respect
 * happened-before across every message that carries one. Lock-free and thread-safe.
 *
 * <p>After Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical Physical Clocks" (2014), with both
 * parts in one word as in {@link HlcTimestamp}.
 */
public final class HybridLogicalClock {
  /*
   * tick    = max(last + 1, pack(physical))
   * observe = max(last + 1, remote + 1, pack(physical))
   *
   * One compare-and-set each. Every attempt loads `last` first and reads the physical clock after it: a
   * reading taken before the loop would let a preempted thread pair an old reading with a new stamp, a
   * skew of tens of milliseconds that never was, and alignment takes maxima over such differences.
   *
   * A logical overflow carries into the microseconds (it is one addition), which keeps the order.
   */
  private final PhysicalClock physical;
  private final long maxOffsetMicros;
  private final RemotePolicy policy;
  private final AtomicLong last = new AtomicLong(HlcTimestamp.MIN_PACKED);
  private final LongAdder refused = new LongAdder();
  private final LongAdder clamped = new LongAdder();
  private final LongAdder acceptedBeyondLimit = new LongAdder();

  /** What {@link #observe} does with a remote stamp further ahead than {@code maxOffset}. */
  public enum RemotePolicy {
    /** Throw {@link ClockSkewException}; the clock does not move. */
    REFUSE,
    /**
     * Advance only to {@code maxOffset} ahead of the own reading; order with the sender is lost.
     */
    CLAMP,
    /** Follow the stamp wherever it leads. */
    ACCEPT
  }

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
   * @param maxOffsetMicros how far a remote stamp may lie ahead of the own reading, 0 or more
   */
  public HybridLogicalClock(PhysicalClock physical, long maxOffsetMicros, RemotePolicy policy) {
    if (maxOffsetMicros < 0) {
      throw new IllegalArgumentException("maxOffsetMicros < 0: " + maxOffsetMicros);
    }
    this.physical = physical;
    this.maxOffsetMicros = maxOffsetMicros;
    this.policy = policy;
  }

  /** Advances the clock for a local or send event and returns the packed stamp. */
  public long tick() {
    while (true) {
      long previous = last.get();
      long next = Math.max(previous + 1, HlcTimestamp.pack(physical.micros()));
      if (last.compareAndSet(previous, next)) {
        return next;
      }
    }
  }

  /** Advances the clock as {@link #tick()} and also hands over the raw reading. */
  public void tick(HlcReading out) {
    while (true) {
      long previous = last.get();
      long reading = physical.micros();
      long next = Math.max(previous + 1, HlcTimestamp.pack(reading));
      if (last.compareAndSet(previous, next)) {
        out.hlc = next;
        out.physicalMicros = reading;
        return;
      }
    }
  }

  /**
   * Advances the clock past a stamp that came with a message and returns the receive event's stamp.
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
   * Advances the clock past a remote stamp and also hands over the raw reading. Never throws: a
   * stamp that was too far ahead is counted, and under {@link RemotePolicy#REFUSE} the clock ticks
   * as if there were none.
   *
   * @return whether the new stamp is above the remote one
   */
  public boolean observe(long remote, HlcReading out) {
    while (true) {
      long previous = last.get();
      long reading = physical.micros();
      long own = Math.max(previous + 1, HlcTimestamp.pack(reading));
      boolean beyond = HlcTimestamp.micros(remote) - reading > maxOffsetMicros;
      long next = Math.max(own, beyond ? beyondLimit(remote, reading) : remote + 1);
      if (last.compareAndSet(previous, next)) {
        out.hlc = next;
        out.physicalMicros = reading;
        if (beyond) {
          countBeyondLimit();
        }
        return next > remote;
      }
    }
  }

  private long beyondLimit(long remote, long reading) {
    return switch (policy) {
      case REFUSE -> HlcTimestamp.MIN_PACKED;
      case CLAMP -> HlcTimestamp.pack(reading + maxOffsetMicros);
      case ACCEPT -> remote + 1;
    };
  }

  private void countBeyondLimit() {
    switch (policy) {
      case REFUSE -> refused.increment();
      case CLAMP -> clamped.increment();
      case ACCEPT -> acceptedBeyondLimit.increment();
    }
  }

  /** The last stamp given out, without advancing the clock. */
  public long last() {
    return last.get();
  }

  /** Remote stamps refused since the start. */
  public long refusedCount() {
    return refused.sum();
  }

  /** Remote stamps clamped since the start. */
  public long clampedCount() {
    return clamped.sum();
  }

  /** Remote stamps followed although they were beyond {@code maxOffset}. */
  public long acceptedBeyondLimitCount() {
    return acceptedBeyondLimit.sum();
  }
}
