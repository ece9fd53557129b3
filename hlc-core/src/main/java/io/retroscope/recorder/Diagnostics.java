package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** The recorder's own diagnostic messages. */
final class Diagnostics {
  private final System.Logger logger;

  Diagnostics(Class<?> source) {
    logger = System.getLogger(source.getName());
  }

  /**
   * Logs a message, or nothing where logging fails: the heap may be exhausted, and the handler is
   * the application's code. Never throws.
   */
  @SuppressWarnings("EmptyCatch") // there is nothing left to say it with
  void log(System.Logger.Level level, String message, @Nullable Object detail, Throwable cause) {
    try {
      logger.log(level, detail == null ? message : message + " " + detail, cause);
    } catch (Throwable e) {
      // Whatever it reports has been counted before.
    }
  }
}
