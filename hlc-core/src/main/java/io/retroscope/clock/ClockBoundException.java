package io.retroscope.clock;

/**
 * A clock cannot begin: stamps have been given out before that lie further ahead than {@code
 * maxOffset}.
 */
public final class ClockBoundException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long aheadMicros;

  ClockBoundException(long aheadMicros, long maxOffsetMicros, long readingMicros) {
    super(
        "stamps have been given out up to "
            + aheadMicros
            + " us ahead of this machine's clock, which reads "
            + HlcTimestamp.isoMicros(readingMicros)
            + "; at most "
            + maxOffsetMicros
            + " us are bridged (maxOffset). Set the machine's clock right, or reset this node's clock"
            + " (resetClock), which gives up the order with its earlier stamps");
    this.aheadMicros = aheadMicros;
  }

  /** How far the stored bound was ahead of the own reading, in microseconds. */
  public long aheadMicros() {
    return aheadMicros;
  }
}
