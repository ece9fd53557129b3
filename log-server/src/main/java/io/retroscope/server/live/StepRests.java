// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import java.util.concurrent.TimeUnit;

/**
 * The rests of a thread that follows the watermark, which leave half of the time to others where
 * its steps are long. Used by one thread.
 */
public final class StepRests {
  /**
   * Series of steps that take longer are interrupted by rests of that duration, up to the longest.
   */
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private long tookBefore;

  /**
   * How long to rest after a step, in nanoseconds; 0 after a short one, or a long one alone, which
   * was interrupted: a rest would delay the next rows once more.
   */
  public long after(long tookNanos) {
    long rest = Math.min(tookNanos, tookBefore);
    tookBefore = tookNanos;
    return rest > SHORT_NANOS ? Math.min(rest, LONGEST_NANOS) : 0;
  }
}
