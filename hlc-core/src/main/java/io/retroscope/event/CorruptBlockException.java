// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.io.IOException;

/** Thrown when the bytes of an encoded block are damaged, truncated or of an unknown version. */
public final class CorruptBlockException extends IOException {
  private static final long serialVersionUID = 1;

  private final long position;
  private final String reason;

  /**
   * Damage at a position.
   *
   * @param position in bytes from the start of the input
   */
  public CorruptBlockException(long position, String reason) {
    super("corrupt block at byte " + position + ": " + reason);
    this.position = position;
    this.reason = reason;
  }

  /** The position of the damage, in bytes from the start of the input. */
  public long position() {
    return position;
  }

  /** The reason, without the position. */
  public String reason() {
    return reason;
  }
}
