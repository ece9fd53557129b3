// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.List;

/**
 * A rule AS BACKGROUND: sounds all the time and follows a value. Immutable.
 *
 * @param name of the rule
 * @param patch sustained patch of the bank
 * @param keys that sound together
 * @param low value at which the background is softest
 * @param high value at which it is loudest and brightest; may be below {@code low}
 */
public record BackgroundRule(
    String name, String patch, List<Integer> keys, double low, double high) {
  /** A fifth. */
  public static final List<Integer> DEFAULT_KEYS = List.of(48, 55);

  /** Checks the range and copies the keys. */
  public BackgroundRule {
    if (!Double.isFinite(low) || !Double.isFinite(high) || low == high) {
      throw new IllegalArgumentException("RANGE needs two different numbers: " + low + ", " + high);
    }
    keys = List.copyOf(keys);
  }

  /** The relative position of a value between the ends of the range, 0 to 1. */
  double position(double value) {
    return Math.max(0, Math.min(1, (value - low) / (high - low)));
  }
}
