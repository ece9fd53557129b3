// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

/** A submission that contradicts stored data; no part of it was stored. */
public final class StoreConflictException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean isOfThisServer;

  /** An exception whose message describes the contradiction. */
  public StoreConflictException(String message) {
    this(message, false);
  }

  private StoreConflictException(String message, boolean isOfThisServer) {
    super(message);
    this.isOfThisServer = isOfThisServer;
  }

  /** A refusal for a limit of this server, which another one may not have. */
  public static StoreConflictException ofThisServer(String message) {
    return new StoreConflictException(message, true);
  }

  /** Whether a store of the same events at another server may accept it. */
  public boolean isOfThisServer() {
    return isOfThisServer;
  }
}
