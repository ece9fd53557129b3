// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.health;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a process that can no longer be trusted. After an OutOfMemoryError any object may be
 * half changed, so the process ends immediately, and a supervisor starts another one; acknowledged
 * events are on disk. Thread-safe.
 */
public final class FatalErrors {
  /** The exit code of a process that ended this way. */
  public static final int EXIT_CODE = 70;

  private static final Logger logger = LoggerFactory.getLogger(FatalErrors.class);

  private static volatile Consumer<Throwable> action = FatalErrors::halt;

  private FatalErrors() {}

  /**
   * Ends the process if a failure leaves it in an unknown state; every thread of the server calls
   * this for the failures that it catches.
   */
  public static void check(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError)) {
        action.accept(cause);
        return;
      }
    }
  }

  /** Also ends the process for failures that no thread catches. */
  public static void watchUncaught() {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          check(failure);
          logger.error("thread {} ended unexpectedly", thread.getName(), failure);
        });
  }

  /** Replaces the end of the process in tests. */
  public static AutoCloseable replace(Consumer<Throwable> other) {
    action = other;
    return () -> action = FatalErrors::halt;
  }

  private static void halt(Throwable failure) {
    try {
      logger.error("the server ends with exit code {}", EXIT_CODE, failure);
    } finally {
      // Shutdown hooks would need memory, and could write wrong data.
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
