package io.retroscope.clock;

import java.util.concurrent.atomic.AtomicLong;

/** A physical clock that a test moves, by hand or by so much with each reading. */
public final class ManualClock implements PhysicalClock {
  private final AtomicLong micros;
  private volatile long stepMicros;

  /** A clock that stands still. */
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

  /** Moves, either way. */
  public void advance(long byMicros) {
    micros.addAndGet(byMicros);
  }

  /** Moves with each reading from now on. */
  public void stepBy(long stepMicros) {
    this.stepMicros = stepMicros;
  }
}
