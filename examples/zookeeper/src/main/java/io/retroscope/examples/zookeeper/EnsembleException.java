package io.retroscope.examples.zookeeper;

/** Thrown if the ensemble could not be run; the message is one sentence for users. */
public final class EnsembleException extends Exception {
  private static final long serialVersionUID = 1;

  EnsembleException(String message) {
    super(message);
  }

  EnsembleException(String message, Throwable cause) {
    super(message, cause);
  }
}
