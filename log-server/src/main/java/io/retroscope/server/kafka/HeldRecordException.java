// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

/**
 * A record that this server cannot store, although a server with more memory or of another version
 * may: all stores of a topic have the same events, so that none may skip it.
 */
final class HeldRecordException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long offset;

  /**
   * An exception.
   *
   * @param offset of the record
   * @param message why it cannot be stored, without its place
   */
  HeldRecordException(long offset, String message, Throwable cause) {
    super(message, cause);
    this.offset = offset;
  }

  long offset() {
    return offset;
  }
}
