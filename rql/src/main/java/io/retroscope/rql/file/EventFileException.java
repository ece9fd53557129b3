// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.file;

/** The failure to read a file of events, for a reason that a user can understand. */
public final class EventFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates a failure.
   *
   * @param reason one sentence without a final full stop
   */
  public EventFileException(String reason) {
    super(reason);
  }

  /** Creates a failure with its cause. */
  public EventFileException(String reason, Throwable cause) {
    super(reason, cause);
  }

  /** The sentence for users. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
