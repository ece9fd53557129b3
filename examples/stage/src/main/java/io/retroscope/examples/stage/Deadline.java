// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.time.Duration;

/**
 * A bound on waiting, and the only place of the demonstrations that waits for time to pass.
 * Immutable.
 */
public final class Deadline {
  /**
   * The longest wait for what takes seconds on an idle machine, such as the start of a process.
   * Beside other work it may take a hundred times as long, and a process that ends is noticed
   * without it.
   */
  public static final Duration PATIENCE = Duration.ofMinutes(5);

  private final long endNanos;

  private Deadline(long endNanos) {
    this.endNanos = endNanos;
  }

  /** The deadline that is this far away. */
  public static Deadline in(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  /** Whether it is over. */
  public boolean hasPassed() {
    return remaining().isNegative();
  }

  /** The remaining time; negative after the deadline. */
  public Duration remaining() {
    return Duration.ofNanos(endNanos - System.nanoTime());
  }

  /** Waits until this deadline; returns immediately if it has passed. */
  public void await() throws InterruptedException {
    sleep(remaining());
  }

  /** Waits for a duration; returns immediately if it is not positive. */
  public static void sleep(Duration duration) throws InterruptedException {
    long nanos = duration.toNanos();
    if (nanos > 0) {
      Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    }
  }
}
