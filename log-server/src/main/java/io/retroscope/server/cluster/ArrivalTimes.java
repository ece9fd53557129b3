// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Times as numbers of late blocks, in milliseconds. A stream that is resumed at another server of a
 * cluster finds there which blocks may have come since, if the clocks of the servers agree within
 * {@link #MARGIN_MILLIS}. Thread-safe.
 */
final class ArrivalTimes implements LateLog.Numbers {
  /** The difference between the clocks of two servers that is allowed for. */
  static final long MARGIN_MILLIS = 10_000;

  /** The beginning of 2020: the numbers have 40 bits. */
  private static final long EPOCH_MILLIS = 1_577_836_800_000L;

  private final PhysicalClock clock;
  private final MonotonicClock stopwatch;
  private final LongSupplier completeNanos;
  private final AtomicLong highest = new AtomicLong();

  /**
   * Times of a server.
   *
   * @param completeNanos the instant up to which everything has come that was in the topic
   */
  ArrivalTimes(PhysicalClock clock, MonotonicClock stopwatch, LongSupplier completeNanos) {
    this.clock = clock;
    this.stopwatch = stopwatch;
    this.completeNanos = completeNanos;
  }

  @Override
  public long next() {
    return highest.accumulateAndGet(now(), Math::max);
  }

  private long now() {
    return Math.max(0, TimeUnit.MICROSECONDS.toMillis(clock.micros()) - EPOCH_MILLIS);
  }

  @Override
  public long reached() {
    long ageNanos = Math.max(0, stopwatch.nanos() - completeNanos.getAsLong());
    return Math.max(0, now() - TimeUnit.NANOSECONDS.toMillis(ageNanos));
  }

  @Override
  public long before(long placeNumber) {
    return placeNumber - MARGIN_MILLIS;
  }
}
