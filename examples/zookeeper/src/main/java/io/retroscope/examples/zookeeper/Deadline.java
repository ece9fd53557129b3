package io.retroscope.examples.zookeeper;

import java.time.Duration;

/**
 * A bound on waiting, and the only place of this example that waits for time to pass. Immutable.
 */
final class Deadline {
  private final long endNanos;

  private Deadline(long endNanos) {
    this.endNanos = endNanos;
  }

  static Deadline in(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  boolean hasPassed() {
    return remaining().isNegative();
  }

  /** The remaining time; negative after the deadline. */
  Duration remaining() {
    return Duration.ofNanos(endNanos - System.nanoTime());
  }

  /** Waits until this deadline; returns immediately if it has passed. */
  void await() throws InterruptedException {
    sleep(remaining());
  }

  static void sleep(Duration duration) throws InterruptedException {
    long nanos = duration.toNanos();
    if (nanos > 0) {
      Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    }
  }
}
