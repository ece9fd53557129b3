package io.retroscope.event;

import java.io.IOException;

/** Bytes that should be an encoded block are damaged, truncated or of an unknown version. */
public final class CorruptBlockException extends IOException {
  private static final long serialVersionUID = 1;

  private final long position;
  private final String reason;

  CorruptBlockException(long position, String reason) {
    super("corrupt block at byte " + position + ": " + reason);
    this.position = position;
    this.reason = reason;
  }

  /** Where, in bytes from the start of what was read. */
  public long position() {
    return position;
  }

  /** What is wrong, without the position. */
  public String reason() {
    return reason;
  }
}
