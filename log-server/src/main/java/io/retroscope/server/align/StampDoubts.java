package io.retroscope.server.align;

/**
 * Stretches of stamps that no clock may ever have read, so that they are no evidence of one. A
 * bounded number is remembered, the newest ones. Not thread-safe.
 */
final class StampDoubts {
  /** What ticks may count on above a stamp before physical time catches up, in microseconds. */
  static final long CARRY_MICROS = 1_000;

  /** A counter this high may soon be carried into the microseconds. */
  static final long HIGH_LOGICAL = 2_048;

  private static final int MAX_STRETCHES = 256;

  private final long[] least = new long[MAX_STRETCHES];
  private final long[] most = new long[MAX_STRETCHES];
  private int count;
  private int next;
  private long highest = Long.MIN_VALUE;

  /**
   * Doubts stamps from {@code leastMicros} to what ticks may have counted on above {@code
   * mostMicros}.
   *
   * @return whether that was not known before
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

  /** Whether a stamp may not come from a clock's reading. */
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
