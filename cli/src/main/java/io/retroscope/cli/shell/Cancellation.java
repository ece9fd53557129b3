package io.retroscope.cli.shell;

import org.jspecify.annotations.Nullable;

/**
 * Lets a signal end what the shell's thread is doing, and nothing that it does later. Thread-safe.
 */
final class Cancellation {
  private @Nullable Thread running;
  private volatile boolean cancelled;

  /** The calling thread begins something that may be cancelled. */
  synchronized void begin() {
    running = Thread.currentThread();
    cancelled = false;
  }

  /** Ends what runs, if anything does. */
  synchronized void cancel() {
    if (running != null) {
      cancelled = true;
      running.interrupt();
    }
  }

  /** What was begun is over; an interrupt that came for it is taken back. */
  synchronized void end() {
    running = null;
    if (cancelled) {
      boolean unused = Thread.interrupted();
    }
  }

  /** What was cancelled before does not concern what comes now. */
  synchronized void forget() {
    cancelled = false;
  }

  /** Whether what was begun last is, or was, cancelled. */
  boolean isCancelled() {
    return cancelled;
  }
}
