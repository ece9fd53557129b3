package io.retroscope.server.app;

/** A log server cannot be started; the message is one sentence for the person who tried. */
public final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ServerException(String message, Throwable cause) {
    super(message, cause);
  }

  ServerException(String message) {
    super(message);
  }
}
