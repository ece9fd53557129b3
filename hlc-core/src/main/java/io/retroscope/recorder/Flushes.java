package io.retroscope.recorder;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Requests to the drainer to hand over everything claimed so far, and the waiting for them and for
 * the drainer's end. Thread-safe.
 */
final class Flushes {
  private final LongSupplier losses;
  private final LongSupplier nanos;
  private final Runnable wake;

  private volatile long requested;
  private volatile long done;

  /** The last request that found events lost since the one before it that did. */
  private long lossy;

  private long lossesReported;
  private boolean ended;
  private boolean complete;

  /**
   * No requests so far.
   *
   * @param losses the number of events that were lost before they reached the sink
   * @param wake has the drainer see a request soon
   */
  Flushes(LongSupplier losses, LongSupplier nanos, Runnable wake) {
    this.losses = losses;
    this.nanos = nanos;
    this.wake = wake;
  }

  /** The number of requests so far; a promise begun now covers them. */
  long requested() {
    return requested;
  }

  /** Whether a request waits. */
  boolean isPending() {
    return requested != done;
  }

  /** Whether a promise that covers the first so many requests answers a new one. */
  boolean isDue(long request) {
    return request > done;
  }

  /** Ends the first so many requests: what they cover is handed over. Drainer only. */
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
   * Ends all waiting. Drainer only, as its last step.
   *
   * @param complete whether it handed over everything that it had
   */
  synchronized void end(boolean complete) {
    this.complete = complete;
    ended = true;
    notifyAll();
  }

  /**
   * Makes a request and waits.
   *
   * @return false if the time was up, events were lost since the last request that said so, or the
   *     drainer ended first and not all is handed over
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

  /** Waits for the drainer's end, also when interrupted; false if the time was up. */
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

  /** Waits on the monitor for what is guarded by it; an interrupt ends the wait and is kept. */
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
