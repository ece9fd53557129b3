// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

/** Stored data that can no longer be read, because its bytes have changed or are missing. */
final class StoreDamageException extends StoreException {
  private static final long serialVersionUID = 1;

  StoreDamageException(String message, Throwable cause) {
    super(message, cause);
  }

  StoreDamageException(String message) {
    super(message);
  }
}
