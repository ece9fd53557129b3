// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

/**
 * A worker's note about a turn, by the machine's clock and a stopwatch, not by the recorder.
 * Immutable.
 *
 * @param beganMicros the machine's clock after the lock was acquired, in microseconds since 1970
 * @param endedMicros the clock when the worker had stopped acting as the holder
 * @param elapsedMillis from before the request for the lock to that end, by a stopwatch
 * @param paused whether the worker was made to pause
 */
record Turn(
    String node,
    long number,
    long beganMicros,
    long endedMicros,
    long elapsedMillis,
    boolean paused) {
  String text() {
    return String.join(
        " ",
        node,
        Long.toString(number),
        Long.toString(beganMicros),
        Long.toString(endedMicros),
        Long.toString(elapsedMillis),
        Boolean.toString(paused));
  }

  static Turn parse(String text) {
    String[] parts = text.split(" ", -1);
    return new Turn(
        parts[0],
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]),
        Long.parseLong(parts[4]),
        Boolean.parseBoolean(parts[5]));
  }

  /** Whether it took longer than the lease, because of a pause or of a busy machine. */
  boolean outlived(long leaseMillis) {
    return elapsedMillis >= leaseMillis;
  }

  /** Whether the lease was over when the worker began: the next turn may have begun before. */
  boolean beganLate(long leaseMillis) {
    return elapsedMillis - (endedMicros - beganMicros) / 1_000 >= leaseMillis - 1;
  }

  boolean contains(Turn other) {
    return !node.equals(other.node)
        && beganMicros < other.beganMicros
        && other.endedMicros < endedMicros;
  }
}
