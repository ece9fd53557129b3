package io.retroscope.examples.zookeeper;

/** The ensemble could not be run; the message is one sentence for a person. */
public final class EnsembleException extends Exception {
  private static final long serialVersionUID = 1;

  EnsembleException(String message) {
    super(message);
  }

  EnsembleException(String message, Throwable cause) {
    super(message, cause);
  }
}
