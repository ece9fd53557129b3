// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.clock.PhysicalClock;

/**
 * A clock that is off by a constant, and whose error grows with time. Thread-safe.
 *
 * @param origin the true clock
 * @param startMicros the reading of the origin at which the error is {@code skewMicros}
 * @param skewMicros the error at the start; positive if this clock is ahead
 * @param driftPpm the microseconds by which the error grows per second of the origin
 */
record SkewedClock(PhysicalClock origin, long startMicros, long skewMicros, double driftPpm)
    implements PhysicalClock {
  /** The largest drift: at 50 percent, clocks differ by half the duration of the test. */
  static final double MAX_DRIFT_PPM = 500_000;

  SkewedClock {
    if (!(Math.abs(driftPpm) <= MAX_DRIFT_PPM)) {
      throw new IllegalArgumentException(
          "a drift is from -%1$d to %1$d ppm: %2$s".formatted((long) MAX_DRIFT_PPM, driftPpm));
    }
  }

  @Override
  public long micros() {
    return skewed(origin.micros());
  }

  @Override
  public long freshMicros() {
    return skewed(origin.freshMicros());
  }

  private long skewed(long micros) {
    return micros + skewMicros + Math.round((micros - startMicros) * (driftPpm / 1e6));
  }
}
