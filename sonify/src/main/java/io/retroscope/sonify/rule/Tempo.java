// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

/**
 * The relation of played time to recorded time. Immutable.
 *
 * @param speed how many times faster than recorded
 * @param maxSilenceMicros the length to which longer silences are cut
 * @param maxLengthMicros the length beyond which it is played faster
 */
public record Tempo(double speed, long maxSilenceMicros, long maxLengthMicros) {
  /** As recorded: no silence is cut, whatever the length. */
  public static final Tempo REAL_TIME = new Tempo(1, Long.MAX_VALUE, Long.MAX_VALUE);

  /** Checks the ranges. */
  public Tempo {
    if (!(speed > 0 && speed <= 1e6)) {
      throw new IllegalArgumentException("speed must be above 0, up to 1000000: " + speed);
    }
    if (maxSilenceMicros < 0 || maxLengthMicros <= 0) {
      throw new IllegalArgumentException("the longest silence or the length is negative");
    }
  }

  /** This tempo with another speed. */
  public Tempo withSpeed(double newSpeed) {
    return new Tempo(newSpeed, maxSilenceMicros, maxLengthMicros);
  }
}
