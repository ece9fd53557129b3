package io.retroscope.clock;

/**
 * Receives a stamp together with the raw physical reading it was made from, without allocating.
 * Owned by the thread that passes it to the clock.
 */
public class HlcReading {
  /** The packed stamp. */
  public long hlc;

  /** The very reading of the physical clock that the stamp was made from, in microseconds. */
  public long physicalMicros;

  /** A reading yet to be made. */
  public HlcReading() {}
}
