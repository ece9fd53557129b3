// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.PhysicalClock;

/**
 * A physical clock that advances with each reading and runs another thread's steps in the middle of
 * one: between a tick's read of the last stamp and its attempt to replace it.
 */
final class SteppedClock implements PhysicalClock {
  private long micros = 1_700_000_000_000_000L;
  private Runnable atReading = () -> {};
  private int times;

  /** Runs the steps at each of the next readings, except the readings of the steps themselves. */
  void atNextReadings(int times, Runnable steps) {
    this.times = times;
    this.atReading = steps;
  }

  @Override
  public long micros() {
    if (times > 0) {
      int left = times - 1;
      times = 0;
      atReading.run();
      times = left;
    }
    micros += 10;
    return micros;
  }
}
