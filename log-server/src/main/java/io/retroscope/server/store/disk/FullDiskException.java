// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.nio.file.Path;

/** A failure to write because the disk is full. */
final class FullDiskException extends StoreException {
  private static final long serialVersionUID = 1;

  FullDiskException(Path directory, Throwable cause) {
    super(
        "the disk of %s is full: free space there, at least %d MiB, which RocksDB wants before it continues (%s)"
            .formatted(directory, RocksSettings.FREE_BYTES >> 20, cause.getMessage()),
        cause);
  }
}
