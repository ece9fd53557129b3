// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

/** A failure to open, read or write the store; the message is one sentence for an operator. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** An exception with a cause. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** An exception without a cause. */
  public StoreException(String message) {
    super(message);
  }
}
