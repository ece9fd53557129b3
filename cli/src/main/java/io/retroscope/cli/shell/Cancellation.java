// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import org.jspecify.annotations.Nullable;

/**
 * The cancellation of the shell thread's present task by a signal, without an effect on later
 * tasks. Thread-safe.
 */
final class Cancellation {
  private @Nullable Thread running;
  private volatile boolean cancelled;

  /** Begins a task of the calling thread that may be cancelled. */
  synchronized void begin() {
    running = Thread.currentThread();
    cancelled = false;
  }

  /** Cancels the present task, if there is one. */
  synchronized void cancel() {
    if (running != null) {
      cancelled = true;
      running.interrupt();
    }
  }

  /** Ends the task, and clears an interrupt that was meant for it. */
  synchronized void end() {
    running = null;
    if (cancelled) {
      boolean unused = Thread.interrupted();
    }
  }

  /** Resets the cancellation, which does not apply to later tasks. */
  synchronized void forget() {
    cancelled = false;
  }

  /** Returns whether the last task was cancelled. */
  boolean isCancelled() {
    return cancelled;
  }
}
