// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.nio.file.Path;

/** Stored data that can no longer be read, because its bytes have changed or are missing. */
public final class StoreDamageException extends StoreException {
  private static final long serialVersionUID = 1;

  public StoreDamageException(String message, Throwable cause) {
    super(message, cause);
  }

  public StoreDamageException(String message) {
    super(message);
  }

  /** A store that ends before the last change that is known to have been on disk. */
  static StoreDamageException lost(Path directory, long found, long expected) {
    return new StoreDamageException(
        "the store in %s has lost acknowledged data: it ends at change %d, but changes up to %d were on disk"
            .formatted(directory, found, expected));
  }
}
