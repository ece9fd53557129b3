package io.retroscope.server.ingest;

/** A batch cannot be taken as it is; the message says why and what to do. */
public final class BadBatchException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Kind kind;

  /** Why a batch cannot be taken. */
  public enum Kind {
    /** Its content is wrong. */
    CONTENT,
    /** It is longer than the server takes. */
    TOO_LARGE,
    /** Its media type or encoding is unknown here. */
    UNSUPPORTED
  }

  BadBatchException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Why. */
  public Kind kind() {
    return kind;
  }
}
