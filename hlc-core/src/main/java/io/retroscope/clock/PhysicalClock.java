// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

/**
 * A source of physical time; {@link #system} is the only one that reads the machine's clock.
 * Thread-safe.
 *
 * <p>HAZARD: a physical clock may step backwards, jump and be smeared. This type does not hide
 * that; the {@link HybridLogicalClock} on top of it does.
 */
@FunctionalInterface
public interface PhysicalClock {
  /** The current reading, in microseconds since the Unix epoch. */
  long micros();

  /**
   * A reading that shows every step of the clock at once, where {@link #micros} may show it late;
   * more expensive.
   */
  default long freshMicros() {
    return micros();
  }

  /** The machine's wall clock; a step of it may show up to a millisecond late. */
  static PhysicalClock system() {
    return WallClock.SYSTEM;
  }

  /**
   * A clock with a fixed offset from this one, for simulating skew on one machine.
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
