// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.server.store.disk.StoreException;

/**
 * A partition of a cluster cannot be read at any server now; the message is one sentence with the
 * reason. Live queries wait until it can be.
 */
public final class PartitionException extends StoreException {
  private static final long serialVersionUID = 1;

  /** Creates an exception. */
  public PartitionException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Creates an exception without a cause. */
  public PartitionException(String message) {
    super(message);
  }
}
