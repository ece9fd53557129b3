// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

/**
 * Thrown when a remote stamp is further ahead of the local physical clock than the clock's {@code
 * maxOffset}.
 */
public final class ClockSkewException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long offsetMicros;
  private final long maxOffsetMicros;

  ClockSkewException(long offsetMicros, long maxOffsetMicros) {
    super(
        "remote timestamp is "
            + offsetMicros
            + " us ahead of this node's clock; at most "
            + maxOffsetMicros
            + " us are accepted (maxOffset)");
    this.offsetMicros = offsetMicros;
    this.maxOffsetMicros = maxOffsetMicros;
  }

  /** How far the remote stamp's physical part was ahead of the local reading, in microseconds. */
  public long offsetMicros() {
    return offsetMicros;
  }

  /** The limit that was exceeded, in microseconds. */
  public long maxOffsetMicros() {
    return maxOffsetMicros;
  }
}
