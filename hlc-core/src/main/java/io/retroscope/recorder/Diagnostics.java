package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** The recorder's own diagnostic messages. */
final class Diagnostics {
  private final String name;

  Diagnostics(Class<?> source) {
    name = source.getName();
  }

  /**
   * Logs a message, or nothing where logging fails: the heap may be exhausted, and the handler is
   * the application's code. Never throws.
   */
  @SuppressWarnings("EmptyCatch") // there is nothing left to say it with
  void log(
      System.Logger.Level level,
      String message,
      @Nullable Object detail,
      @Nullable Throwable cause) {
    try {
      // Not kept: to begin, logging itself may need a recorder.
      System.getLogger(name).log(level, detail == null ? message : message + " " + detail, cause);
    } catch (Throwable e) {
      // Whatever it reports has been counted before.
    }
  }
}
