package io.retroscope.clock;

/**
 * A source of physical time; {@link #system} is the only one that reads the machine's clock.
 * Thread-safe.
 *
 * <p>HAZARD: a physical clock may step backwards, jump and be smeared; nothing here hides that. The
 * {@link HybridLogicalClock} above it does.
 */
@FunctionalInterface
public interface PhysicalClock {
  /** Microseconds since the Unix epoch, as this clock believes now. */
  long micros();

  /**
   * A reading that costs more, where {@link #micros} may show a step of the clock late: none shows
   * late in it.
   */
  default long freshMicros() {
    return micros();
  }

  /** The machine's wall clock; a step of it may show a millisecond late. */
  static PhysicalClock system() {
    return WallClock.SYSTEM;
  }

  /**
   * A clock that is wrong by a fixed amount, to rehearse skew on one machine.
   *
   * @param offsetMicros added to every reading
   */
  default PhysicalClock skewedBy(long offsetMicros) {
    return new PhysicalClock() {
      @Override
      public long micros() {
        return PhysicalClock.this.micros() + offsetMicros;
      }

      @Override
      public long freshMicros() {
        return PhysicalClock.this.freshMicros() + offsetMicros;
      }
    };
  }
}
