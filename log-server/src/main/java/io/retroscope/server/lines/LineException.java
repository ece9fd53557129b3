package io.retroscope.server.lines;

/** Lines cannot be given as they were asked for; one sentence says why. */
public final class LineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LineException(String message) {
    super(message);
  }

  LineException(String message, Throwable cause) {
    super(message, cause);
  }
}
