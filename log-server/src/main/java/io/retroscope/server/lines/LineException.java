// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

/** A request for lines that cannot be answered; the message is one sentence with the reason. */
public final class LineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LineException(String message) {
    super(message);
  }

  static LineException tooFast() {
    return new LineException(
        "events arrived faster than their lines were read, so the output ends here: request fewer"
            + " lines");
  }

  LineException(String message, Throwable cause) {
    super(message, cause);
  }
}
