// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.util.concurrent.atomic.AtomicLong;

/** A physical clock that a test moves explicitly or by a step with each reading. */
public final class ManualClock implements PhysicalClock {
  private final AtomicLong micros;
  private volatile long stepMicros;

  /** A clock that is stopped. */
  public ManualClock(long micros) {
    this.micros = new AtomicLong(micros);
  }

  @Override
  public long micros() {
    return micros.getAndAdd(stepMicros);
  }

  /** Jumps. */
  public void set(long micros) {
    this.micros.set(micros);
  }

  /** Moves the clock, forwards or backwards. */
  public void advance(long byMicros) {
    micros.addAndGet(byMicros);
  }

  /** Moves the clock with each reading from now on. */
  public void stepBy(long stepMicros) {
    this.stepMicros = stepMicros;
  }
}
