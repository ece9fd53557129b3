package io.retroscope.server.store;

/**
 * Something that was stored cannot be read any more, because its bytes have changed or are gone.
 */
final class StoreDamageException extends StoreException {
  private static final long serialVersionUID = 1;

  StoreDamageException(String message, Throwable cause) {
    super(message, cause);
  }

  StoreDamageException(String message) {
    super(message);
  }
}
