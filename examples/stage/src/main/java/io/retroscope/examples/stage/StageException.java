// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

/** Thrown if a demonstration could not be run; the message is one sentence for users. */
public final class StageException extends Exception {
  private static final long serialVersionUID = 1;

  /** An error without a cause. */
  public StageException(String message) {
    super(message);
  }

  /** An error with its cause. */
  public StageException(String message, Throwable cause) {
    super(message, cause);
  }
}
