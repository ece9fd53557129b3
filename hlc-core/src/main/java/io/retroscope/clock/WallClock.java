// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The machine's wall clock, derived from its monotonic clock, which the JVM reads faster.
 * Thread-safe.
 */
final class WallClock implements PhysicalClock {
  /*
   * Operating systems derive both clocks from one counter and slew both alike; only a step moves
   * the wall clock alone. Between steps, the wall clock is therefore the monotonic clock plus a
   * constant. Once per millisecond the wall clock is read between two readings of the monotonic
   * clock. That yields an interval that contains the constant. The current constant is kept if it
   * is in the interval, so that readings do not jitter; otherwise the interval's middle replaces
   * it.
   *
   * HAZARD: a step shows up to one ANCHOR_NANOS late, as if it had happened then. The same holds
   * for the duration of a suspend, during which the monotonic clock may stop; freshMicros() shows
   * both immediately. Where the monotonic clock is not slewed, readings are off by its drift in
   * that time, less than a microsecond.
   *
   * Any thread may anchor. Two concurrent threads write the same constant unless a step happens
   * between them; then the older constant is used at most until the next anchor is due.
   */
  static final long ANCHOR_NANOS = 1_000_000;

  /**
   * The longest bracket that may set the constant. A longer one, of a thread that was preempted
   * inside it, is discarded, so that the constant's error stays below the resolution of readings, a
   * microsecond. Where clocks take longer to read, every reading comes from the wall clock itself.
   */
  static final long MAX_BRACKET_NANOS = 1_000;

  static final WallClock SYSTEM = new WallClock(System::nanoTime, WallClock::wallNanos);

  private final LongSupplier monotonicNanos;
  private final LongSupplier wallNanos;
  private volatile long offsetNanos;
  private volatile long dueNanos;

  WallClock(LongSupplier monotonicNanos, LongSupplier wallNanos) {
    this.monotonicNanos = monotonicNanos;
    this.wallNanos = wallNanos;
    this.dueNanos = monotonicNanos.getAsLong();
  }

  private static long wallNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }

  @Override
  public long micros() {
    long now = monotonicNanos.getAsLong();
    return now - dueNanos < 0 ? (now + offsetNanos) / 1_000 : anchor(now);
  }

  @Override
  public long freshMicros() {
    return anchor(monotonicNanos.getAsLong());
  }

  private long anchor(long before) {
    long wall = wallNanos.getAsLong();
    long after = monotonicNanos.getAsLong();
    if (after - before > MAX_BRACKET_NANOS) {
      return wall / 1_000;
    }
    long lower = wall - after;
    long upper = wall - before;
    long offset = offsetNanos;
    if (offset < lower || offset > upper) {
      offset = lower + (upper - lower) / 2;
      offsetNanos = offset;
    }
    dueNanos = after + ANCHOR_NANOS;
    return (after + offset) / 1_000;
  }
}
