// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

/** A submission that contradicts stored data; no part of it was stored. */
public final class StoreConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** An exception whose message describes the contradiction. */
  public StoreConflictException(String message) {
    super(message);
  }
}
