// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

/** Stored data that can no longer be read, because its bytes have changed or are missing. */
public final class StoreDamageException extends StoreException {
  private static final long serialVersionUID = 1;

  public StoreDamageException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreDamageException(String message) {
    super(message);
  }
}
