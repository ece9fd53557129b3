package io.retroscope.clock;

import java.time.Instant;

/**
 * A source of physical time: the only place that reads the machine's clock. Thread-safe.
 *
 * <p>HAZARD: a physical clock may step backwards, jump and be smeared; nothing here hides that. The
 * {@link HybridLogicalClock} above it does.
 */
@FunctionalInterface
public interface PhysicalClock {
  /** Microseconds since the Unix epoch, as this clock believes now. */
  long micros();

  /** The machine's wall clock. */
  static PhysicalClock system() {
    return PhysicalClock::systemMicros;
  }

  /**
   * A clock that is wrong by a fixed amount, to rehearse skew on one machine.
   *
   * @param offsetMicros added to every reading
   */
  default PhysicalClock skewedBy(long offsetMicros) {
    return () -> micros() + offsetMicros;
  }

  private static long systemMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
