// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

/**
 * Ranges of stamps that may not be readings of any clock, so that they are no evidence of one. A
 * bounded number is remembered, the newest ones. Not thread-safe.
 */
final class StampDoubts {
  /**
   * The largest amount by which ticks may count above a stamp before physical time catches up, in
   * microseconds.
   */
  static final long CARRY_MICROS = 1_000;

  /** The counter value from which a carry into the microseconds is likely. */
  static final long HIGH_LOGICAL = 2_048;

  private static final int MAX_STRETCHES = 256;

  private final long[] startMicros = new long[MAX_STRETCHES];
  private final long[] stopMicros = new long[MAX_STRETCHES];
  private int count;
  private int next;
  private long highestMicros = Long.MIN_VALUE;

  /**
   * Adds stamps from {@code leastMicros} to the largest that ticks may have counted to above {@code
   * mostMicros}.
   *
   * @return whether they were not all known before
   */
  boolean add(long leastMicros, long mostMicros) {
    long endMicros = mostMicros + CARRY_MICROS;
    if (isDoubtful(leastMicros) && isDoubtful(endMicros)) {
      return false;
    }
    int last = Math.floorMod(next - 1, MAX_STRETCHES);
    if (count > 0 && startMicros[last] <= leastMicros && leastMicros <= stopMicros[last]) {
      stopMicros[last] = Math.max(stopMicros[last], endMicros);
    } else {
      startMicros[next] = leastMicros;
      stopMicros[next] = endMicros;
      next = (next + 1) % MAX_STRETCHES;
      count = Math.min(count + 1, MAX_STRETCHES);
    }
    highestMicros = Math.max(highestMicros, endMicros);
    return true;
  }

  /** Whether a stamp may not be a clock reading. */
  boolean isDoubtful(long stampMicros) {
    if (stampMicros > highestMicros) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (startMicros[i] <= stampMicros && stampMicros <= stopMicros[i]) {
        return true;
      }
    }
    return false;
  }
}
