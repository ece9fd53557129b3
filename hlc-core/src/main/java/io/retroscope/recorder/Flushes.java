// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Requests to the drainer to pass on everything claimed so far, and the waits for their completion
 * and for the drainer's end. Thread-safe.
 */
final class Flushes {
  private final LongSupplier losses;
  private final LongSupplier nanos;
  private final Runnable wake;

  private volatile long requested;
  private volatile long done;

  /** The last request in whose completion new losses were found. */
  private long lossy;

  private long lossesReported;
  private boolean ended;
  private boolean complete;

  /**
   * No requests so far.
   *
   * @param losses the number of events that were lost before they reached the sink
   * @param wake wakes the drainer, so that it sees a request soon
   */
  Flushes(LongSupplier losses, LongSupplier nanos, Runnable wake) {
    this.losses = losses;
    this.nanos = nanos;
    this.wake = wake;
  }

  /** The number of requests so far, all of which a promise started now covers. */
  long requested() {
    return requested;
  }

  /** Whether a request is pending. */
  boolean isPending() {
    return requested != done;
  }

  /** Whether a promise that covers the requests up to this one completes a pending one. */
  boolean isDue(long request) {
    return request > done;
  }

  /** Completes the requests up to this one, whose events have been passed on. Drainer only. */
  synchronized void complete(long request) {
    long lost = losses.getAsLong();
    if (lost > lossesReported) {
      lossesReported = lost;
      lossy = request;
    }
    done = request;
    notifyAll();
  }

  /**
   * Ends all waits. Drainer only, as its last step.
   *
   * @param complete whether it passed on all its events
   */
  synchronized void end(boolean complete) {
    this.complete = complete;
    ended = true;
    notifyAll();
  }

  /**
   * Submits a request and waits for its completion.
   *
   * @return false if the timeout elapsed, if events were lost since the last request that reported
   *     a loss, or if the drainer ended first without passing on all its events
   */
  synchronized boolean request(long timeoutNanos) {
    long request = requested + 1;
    requested = request;
    wake.run();
    if (!await(() -> done >= request || ended, timeoutNanos)) {
      return false;
    }
    return done >= request ? lossy < request : complete && losses.getAsLong() == lossesReported;
  }

  /** Waits for the drainer's end, even if interrupted; false if the timeout elapsed. */
  synchronized boolean awaitEnd(long timeoutNanos) {
    long start = nanos.getAsLong();
    boolean interrupted = false;
    boolean done;
    do {
      interrupted |= Thread.interrupted();
      done = await(() -> ended, timeoutNanos - (nanos.getAsLong() - start));
    } while (!done && Thread.currentThread().isInterrupted());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return done;
  }

  /**
   * Waits on the monitor for a condition that it guards; an interrupt ends the wait and remains
   * set.
   */
  private boolean await(BooleanSupplier condition, long timeoutNanos) {
    long start = nanos.getAsLong();
    while (!condition.getAsBoolean()) {
      long left = timeoutNanos - (nanos.getAsLong() - start);
      if (left <= 0) {
        return false;
      }
      try {
        wait(Math.max(1, left / 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
