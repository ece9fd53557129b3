// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/**
 * A rule AS ALARM. Immutable.
 *
 * @param name of the rule
 * @param patch sustained patch of the bank
 * @param priority decides the pattern, and which alarm sounds when several fire
 * @param everyMicros time between bursts while it fires, at least {@link #LEAST_EVERY_MICROS}
 */
public record AlarmRule(String name, String patch, Priority priority, long everyMicros) {
  /** More frequent bursts would distract operators while they work on the problem. */
  public static final long LEAST_EVERY_MICROS = 2_500_000;

  /** Time between bursts unless the rule has EVERY. */
  public static final long DEFAULT_EVERY_MICROS = 5_000_000;

  /** Urgency of an alarm. */
  public enum Priority {
    /** Three pulses. */
    MEDIUM,
    /** Three and two fast pulses, twice. */
    HIGH
  }

  /** Checks the time between bursts. */
  public AlarmRule {
    if (everyMicros < LEAST_EVERY_MICROS) {
      throw new IllegalArgumentException("EVERY of an alarm must be at least 2.5 s");
    }
  }
}
