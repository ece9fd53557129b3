// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

/** A full backlog: nothing was accepted, and the sender must retry later. */
public final class StoreBusyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StoreBusyException(String message) {
    super(message);
  }
}
