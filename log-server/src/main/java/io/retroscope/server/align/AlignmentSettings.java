// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.Map;

/**
 * The assumptions and limits of clock alignment. Immutable.
 *
 * <p>The first three are assumptions about the environment: the intervals are correct as long as
 * they hold. {@code docs/alignment.md} describes the consequences if they do not.
 *
 * @param rhoPpm the largest relative rate of any two clocks, in parts per million: the sum of both
 *     clocks' maxima; 0 to 100,000. Too small a value makes intervals wrong; twice the true value
 *     costs about a tenth of their width
 * @param granuleMicros the coarsest step of any clock's readings, 0 or more. A node whose readings
 *     are all whole milliseconds is assumed to have that granule in any case
 * @param minimumDelayMicros the minimum delay of any message, 0 or more. Too small a value only
 *     widens the intervals; too large a value makes them wrong
 * @param linkMinimumDelayMicros the minimum delay of single links for which more is known
 * @param driverWindowMicros how long a node must appear to have the highest clock before it becomes
 *     the driver, unless the current driver certainly is not the highest; a node that is silent for
 *     longer is not the driver
 * @param maxRememberedMessages the number of message ids kept until their other end arrives; the
 *     oldest are dropped
 * @param maxHistorySlices the number of summaries of past evidence kept for all pairs of nodes
 *     together, at about 40 bytes each
 */
public record AlignmentSettings(
    double rhoPpm,
    long granuleMicros,
    long minimumDelayMicros,
    Map<Link, Long> linkMinimumDelayMicros,
    long driverWindowMicros,
    int maxRememberedMessages,
    int maxHistorySlices) {
  /** Settings that hold on ordinary machines and networks. */
  public static final AlignmentSettings DEFAULT =
      new AlignmentSettings(200, 1, 0, Map.of(), 10_000_000, 1 << 17, 1 << 20);

  /** The messages from one node to another. */
  public record Link(String from, String to) {}

  /**
   * Checks the ranges and copies the map.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public AlignmentSettings {
    if (!(rhoPpm >= 0 && rhoPpm <= 100_000)) {
      throw new IllegalArgumentException("rhoPpm must lie in 0 to 100000: " + rhoPpm);
    }
    requireWithin("granuleMicros", granuleMicros, 0, 60_000_000);
    requireWithin("minimumDelayMicros", minimumDelayMicros, 0, 3_600_000_000L);
    linkMinimumDelayMicros.forEach(
        (link, micros) -> requireWithin("minimum delay of " + link, micros, 0, 3_600_000_000L));
    requireWithin("driverWindowMicros", driverWindowMicros, 0, 86_400_000_000L);
    requireWithin("maxRememberedMessages", maxRememberedMessages, 1, 1 << 26);
    requireWithin("maxHistorySlices", maxHistorySlices, 1, 1 << 28);
    linkMinimumDelayMicros = Map.copyOf(linkMinimumDelayMicros);
  }

  /** A copy with a different bound on the relative rate of two clocks. */
  public AlignmentSettings withRhoPpm(double ppm) {
    return new AlignmentSettings(
        ppm,
        granuleMicros,
        minimumDelayMicros,
        linkMinimumDelayMicros,
        driverWindowMicros,
        maxRememberedMessages,
        maxHistorySlices);
  }

  /** A copy with a different minimum delay for links that have none of their own. */
  public AlignmentSettings withMinimumDelayMicros(long micros) {
    return new AlignmentSettings(
        rhoPpm,
        granuleMicros,
        micros,
        linkMinimumDelayMicros,
        driverWindowMicros,
        maxRememberedMessages,
        maxHistorySlices);
  }

  /** The minimum delay of a message on a link. */
  long minimumDelayMicros(String from, String to) {
    return linkMinimumDelayMicros.isEmpty()
        ? minimumDelayMicros
        : linkMinimumDelayMicros.getOrDefault(new Link(from, to), minimumDelayMicros);
  }

  /** The bound on the relative rate as a ratio. */
  double rho() {
    return rhoPpm * 1e-6;
  }

  private static void requireWithin(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must lie in " + least + " to " + most + ": " + value);
    }
  }
}
