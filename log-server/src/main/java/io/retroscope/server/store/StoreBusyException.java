package io.retroscope.server.store;

/** The store cannot keep up: nothing was taken, and the sender should come back later. */
public final class StoreBusyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StoreBusyException(String message) {
    super(message);
  }
}
