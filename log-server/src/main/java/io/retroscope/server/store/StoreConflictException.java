package io.retroscope.server.store;

/** What was handed in contradicts what is stored already; nothing of it was stored. */
public final class StoreConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what contradicts what. */
  public StoreConflictException(String message) {
    super(message);
  }
}
