// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.rql.client.ProblemException;

/**
 * The failure to read a file of events, for a reason that a user can understand. No statement over
 * the file succeeds.
 */
public final class EventFileException extends ProblemException {
  private static final long serialVersionUID = 1;

  /**
   * Creates a failure.
   *
   * @param reason one sentence without a final full stop
   */
  public EventFileException(String reason) {
    super(reason, false);
  }

  /** Creates a failure with its cause. */
  public EventFileException(String reason, Throwable cause) {
    super(reason, false);
    initCause(cause);
  }
}
