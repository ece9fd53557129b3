// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.clock;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;

/** The same clock with a lock, for comparison. */
final class SynchronizedClock {
  private final PhysicalClock physical = PhysicalClock.system();
  private long last = HlcTimestamp.MIN_PACKED;

  synchronized long tick() {
    last = Math.max(last + 1, HlcTimestamp.pack(physical.micros()));
    return last;
  }
}
