// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * A bound in memory that outlives its clock, can fail, and runs a test's action while it is stored.
 */
public final class MemoryBound implements ClockBound {
  private OptionalLong stored = OptionalLong.empty();
  private int attemptCount;
  private boolean broken;
  private Runnable whileStoring = () -> {};

  /** Makes all attempts to store fail from now on, or none. */
  public synchronized void breakIt(boolean nowBroken) {
    broken = nowBroken;
  }

  /** Runs this in the middle of each store from now on, before the new bound is in force. */
  public synchronized void whileStoring(Runnable action) {
    whileStoring = action;
  }

  /** The number of attempts to store a bound. */
  public synchronized int attemptCount() {
    return attemptCount;
  }

  /** The bound in force, the lowest if there is none. */
  public synchronized long inForce() {
    return stored.orElse(HlcTimestamp.MIN_PACKED);
  }

  @Override
  public synchronized OptionalLong load() {
    return stored;
  }

  @Override
  public void store(long bound) throws IOException {
    Runnable action;
    synchronized (this) {
      attemptCount++;
      action = whileStoring;
    }
    action.run();
    synchronized (this) {
      if (broken) {
        throw new IOException("disk full");
      }
      stored = OptionalLong.of(bound);
    }
  }

  @Override
  public void close() {}
}
