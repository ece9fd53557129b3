package io.retroscope.clock;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The machine's wall clock, read by way of its monotonic clock, which the JVM reads faster.
 * Thread-safe.
 */
final class WallClock implements PhysicalClock {
  /*
   * Operating systems keep both clocks by one counter and slew both alike; only a step moves the wall clock alone. So
   * between steps the wall clock is the monotonic one plus a constant. Once a millisecond the wall clock is read between
   * two readings of the monotonic one. That gives an interval in which the constant must lie; it is kept while it lies
   * there, so that readings do not jitter, and else becomes the interval's middle.
   *
   * HAZARD: a step shows up to one ANCHOR_NANOS late, as if it had happened then. So does the time of a suspend, in
   * which the monotonic clock may stand still; freshMicros() shows both at once. Where the monotonic clock is not slewed,
   * readings are off by what it drifts in that time, less than a microsecond.
   *
   * Any thread may anchor. Two at once write the same but for a step between them; then the older constant stands at
   * most until the other's time is up.
   */
  static final long ANCHOR_NANOS = 1_000_000;

  /**
   * A longer bracket, of a thread that was preempted within, anchors nothing: what the constant may
   * be off stays below the microsecond that readings are given to. Where clocks take longer to
   * read, every reading is the wall clock's own.
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
