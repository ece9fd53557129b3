// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

/** A failure to start a log server; the message is one sentence for the user. */
public final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ServerException(String message, Throwable cause) {
    super(message, cause);
  }

  ServerException(String message) {
    super(message);
  }
}
