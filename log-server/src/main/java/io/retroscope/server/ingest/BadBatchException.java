// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

/** A batch that cannot be accepted; the message contains the reason and the remedy. */
public final class BadBatchException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Kind kind;

  /** The reasons for refusing a batch. */
  public enum Kind {
    /** The content is invalid. */
    CONTENT,
    /** The batch exceeds the server's limit. */
    TOO_LARGE,
    /** The media type or encoding is not supported. */
    UNSUPPORTED
  }

  BadBatchException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** The reason. */
  public Kind kind() {
    return kind;
  }
}
