// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

/**
 * Thrown when a clock cannot start because earlier stamps are further ahead than {@code maxOffset}.
 */
public final class ClockBoundException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long aheadMicros;

  ClockBoundException(long aheadMicros, long maxOffsetMicros, long readingMicros) {
    super(
        "earlier stamps are up to "
            + aheadMicros
            + " us ahead of this machine's clock, which reads "
            + HlcTimestamp.isoMicros(readingMicros)
            + "; at most "
            + maxOffsetMicros
            + " us are allowed (maxOffset). Correct the machine's clock, or reset this node's clock"
            + " (resetClock), which abandons the order relative to its earlier stamps");
    this.aheadMicros = aheadMicros;
  }

  /** How far the stored bound was ahead of the local reading, in microseconds. */
  public long aheadMicros() {
    return aheadMicros;
  }
}
