package io.retroscope.server.align;

import java.util.Map;

/**
 * Everything that clock alignment assumes and every limit it keeps, in one place. Immutable.
 *
 * <p>The first three are assumptions about the world: the intervals are right as long as they hold.
 * See {@code docs/alignment.md} for what happens when they do not.
 *
 * @param rhoPpm the largest relative rate of any two clocks, in parts per million: the sum of both
 *     clocks' maxima; 0 to 100,000. Too small a value makes intervals wrong, twice the true one
 *     costs about a tenth of their width
 * @param granuleMicros the coarsest step of any clock's readings, 0 or more. A node whose readings
 *     are all whole milliseconds is taken to be that coarse by itself
 * @param minimumDelayMicros no message travels faster than this, 0 or more. Understating it only
 *     widens the intervals; overstating it makes them wrong
 * @param linkMinimumDelayMicros the same for single links, where more is known
 * @param driverWindowMicros a node must look like the highest clock for this long before it becomes
 *     the driver, unless the driver is surely not the highest; a node silent for longer is no
 *     driver
 * @param maxRememberedMessages message ids kept while waiting for the other end; the oldest go
 * @param maxHistorySlices summaries of past evidence kept for all pairs of nodes together, at about
 *     40 bytes each
 */
public record AlignmentSettings(
    double rhoPpm,
    long granuleMicros,
    long minimumDelayMicros,
    Map<Link, Long> linkMinimumDelayMicros,
    long driverWindowMicros,
    int maxRememberedMessages,
    int maxHistorySlices) {
  /** What holds on ordinary machines and networks without being told anything. */
  public static final AlignmentSettings DEFAULT =
      new AlignmentSettings(200, 1, 0, Map.of(), 10_000_000, 1 << 17, 1 << 20);

  /** Messages from one node to another. */
  public record Link(String from, String to) {}

  /**
   * Checks the ranges and copies the map.
   *
   * @throws IllegalArgumentException if a value lies outside its range; the message names it
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

  /** These settings with another bound on the relative rate of two clocks. */
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

  /** These settings with another granule. */
  public AlignmentSettings withGranuleMicros(long micros) {
    return new AlignmentSettings(
        rhoPpm,
        micros,
        minimumDelayMicros,
        linkMinimumDelayMicros,
        driverWindowMicros,
        maxRememberedMessages,
        maxHistorySlices);
  }

  /** These settings with another minimum delay for links that are not named singly. */
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

  /** The least time that a message takes on a link. */
  long minimumDelayMicros(String from, String to) {
    return linkMinimumDelayMicros.isEmpty()
        ? minimumDelayMicros
        : linkMinimumDelayMicros.getOrDefault(new Link(from, to), minimumDelayMicros);
  }

  /** The bound on the relative rate as a plain ratio. */
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
