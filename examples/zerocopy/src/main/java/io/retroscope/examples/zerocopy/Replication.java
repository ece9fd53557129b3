// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

/** How far the log is, and how far it is durable at the others. Thread-safe. */
final class Replication {
  private static final long BEAT_MILLIS = 200;
  private static final long NONE = -1;

  private final long patienceMillis;

  /* Guarded by `this`. */
  private long written;
  private long atStandby;
  private long atAuxiliary = NONE;
  private long durableAtTwo;
  private boolean needsAuxiliary;
  private boolean hasPart;
  private int auxiliaryCount;
  private long shippedBytes;
  private long acknowledgementBytes;

  /**
   * An empty log.
   *
   * @param patienceMillis how long the standby may take before the auxiliary is needed
   */
  Replication(long patienceMillis) {
    this.patienceMillis = patienceMillis;
  }

  /** The log has an end, which is on the primary's disk. */
  synchronized void written(long end) {
    written = end;
    notifyAll();
  }

  /** The standby has said how far it is, which may be less than before. */
  synchronized void atStandby(long end) {
    atStandby = end;
    acknowledgementBytes += Frame.BYTES;
    changed();
  }

  synchronized void atAuxiliary(long end) {
    auxiliaryCount += hasPart ? 0 : 1;
    hasPart = true;
    atAuxiliary = end;
    acknowledgementBytes += Frame.BYTES;
    changed();
  }

  private void changed() {
    durableAtTwo = Math.max(durableAtTwo, Math.max(atStandby, atAuxiliary));
    if (atStandby >= written) {
      needsAuxiliary = false;
    }
    notifyAll();
  }

  synchronized void shipped(int bytes) {
    shippedBytes += bytes;
  }

  /**
   * Waits until one of the others has the log up to an end; requests the auxiliary if necessary.
   */
  synchronized void awaitDurableAtTwo(long end) throws InterruptedException {
    long deadline = System.nanoTime() + patienceMillis * 1_000_000;
    while (durableAtTwo < end) {
      long millis = (deadline - System.nanoTime()) / 1_000_000;
      if (millis <= 0 && !needsAuxiliary) {
        needsAuxiliary = true;
        notifyAll();
      }
      wait(Math.max(1, needsAuxiliary ? patienceMillis : millis));
    }
  }

  /**
   * Waits until the log is longer than the standby's copy, but not for long: a connection that has
   * ended is noticed by a frame without bytes. Returns where the copy ends.
   */
  synchronized long awaitMoreForStandby() throws InterruptedException {
    long deadline = System.nanoTime() + BEAT_MILLIS * 1_000_000;
    for (long left = BEAT_MILLIS; written <= atStandby && left > 0; ) {
      wait(left);
      left = (deadline - System.nanoTime()) / 1_000_000;
    }
    return atStandby;
  }

  /** Waits until the auxiliary is needed; returns where its part begins. */
  synchronized long awaitAuxiliaryNeeded() throws InterruptedException {
    while (!needsAuxiliary) {
      wait();
    }
    hasPart = false;
    atAuxiliary = durableAtTwo;
    return atAuxiliary;
  }

  /** Waits until the auxiliary has to get more; returns false if it is not needed any more. */
  synchronized boolean awaitMoreForAuxiliary() throws InterruptedException {
    while (needsAuxiliary && written <= atAuxiliary) {
      wait();
    }
    if (!needsAuxiliary) {
      atAuxiliary = NONE;
    }
    return needsAuxiliary;
  }

  synchronized long atAuxiliary() {
    return atAuxiliary;
  }

  /** How many bytes there are from an offset to the end, at most some. */
  synchronized int bytesFrom(long offset, int most) {
    return (int) Math.min(most, written - offset);
  }

  /** The bytes shipped, those of acknowledgements, and how often the auxiliary stepped in. */
  synchronized String counts() {
    return shippedBytes + " " + acknowledgementBytes + " " + auxiliaryCount;
  }
}
