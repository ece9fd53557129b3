// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** The recorder's own diagnostic messages. */
final class Diagnostics {
  private final String name;

  Diagnostics(Class<?> source) {
    name = source.getName();
  }

  /**
   * Logs a message, or does nothing if logging fails: the heap may be exhausted, and the handler is
   * the application's code. Never throws.
   */
  @SuppressWarnings("EmptyCatch") // there is no other way to report it
  void log(
      System.Logger.Level level,
      String message,
      @Nullable Object detail,
      @Nullable Throwable cause) {
    try {
      // Not cached, because the initialization of logging may itself need a recorder.
      System.getLogger(name).log(level, detail == null ? message : message + " " + detail, cause);
    } catch (Throwable e) {
      // The caller has already counted the reported failure.
    }
  }
}
