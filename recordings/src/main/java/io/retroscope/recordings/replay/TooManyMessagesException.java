// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

/** Thrown if the messages of files are too many for memory. */
public final class TooManyMessagesException extends RuntimeException {
  private static final long serialVersionUID = 1;

  TooManyMessagesException(String reason) {
    super(reason);
  }
}
