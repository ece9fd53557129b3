package io.retroscope.server.store;

/** The store cannot be opened, read or written; the message is one sentence for an operator. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** With the reason behind it. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Without another reason. */
  public StoreException(String message) {
    super(message);
  }
}
