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

  private final long[] least = new long[MAX_STRETCHES];
  private final long[] most = new long[MAX_STRETCHES];
  private int count;
  private int next;
  private long highest = Long.MIN_VALUE;

  /**
   * Adds stamps from {@code leastMicros} to the largest that ticks may have counted to above {@code
   * mostMicros}.
   *
   * @return whether they were not all known before
   */
  boolean add(long leastMicros, long mostMicros) {
    long end = mostMicros + CARRY_MICROS;
    if (isDoubtful(leastMicros) && isDoubtful(end)) {
      return false;
    }
    int last = Math.floorMod(next - 1, MAX_STRETCHES);
    if (count > 0 && least[last] <= leastMicros && leastMicros <= most[last]) {
      most[last] = Math.max(most[last], end);
    } else {
      least[next] = leastMicros;
      most[next] = end;
      next = (next + 1) % MAX_STRETCHES;
      count = Math.min(count + 1, MAX_STRETCHES);
    }
    highest = Math.max(highest, end);
    return true;
  }

  /** Whether a stamp may not be a clock reading. */
  boolean isDoubtful(long stampMicros) {
    if (stampMicros > highest) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (least[i] <= stampMicros && stampMicros <= most[i]) {
        return true;
      }
    }
    return false;
  }
}
