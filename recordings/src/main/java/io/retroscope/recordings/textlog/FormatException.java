// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

/** Thrown for an invalid definition of a format, with its place and the reason. */
public final class FormatException extends RuntimeException {
  private static final long serialVersionUID = 1;

  FormatException(String reason) {
    super(reason);
  }

  FormatException(String reason, Throwable cause) {
    super(reason, cause);
  }

  /** The sentence for users. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
