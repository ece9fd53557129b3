// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.store.disk.StoreException;

/** A partition cannot be read at any server; the message is one sentence with the reason. */
public final class PartitionException extends StoreException {
  private static final long serialVersionUID = 1;

  PartitionException(String message, Throwable cause) {
    super(message, cause);
  }

  PartitionException(String message) {
    super(message);
  }
}
