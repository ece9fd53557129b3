// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.SplittableRandom;

/**
 * The published model: nodes with rigid clocks that differ by whole ticks and send messages to each
 * other. Immutable.
 *
 * <p>Node 0 has the highest clock and the last node is {@code skew} ticks lower; the others are
 * uniformly distributed in between. In each tick first all messages that are due are received, then
 * each node in turn may have an event, which may be a send to any other node.
 *
 * @param nodes 2 to 100
 * @param skew ticks from the highest clock to the lowest, 1 to 1,000,000
 * @param minDelay minimum delay of a message in ticks, 0 or more
 * @param maxDelay maximum delay of a message in ticks, up to 10,000; delays are uniform in between
 * @param eventProbability that a node has an event in a tick
 * @param communicationProbability that an event is a send
 * @param ratePpm every clock's rate is uniform within this many parts per million of true, 0 to
 *     10,000; 0 for rigid clocks, as published
 */
public record RigidModel(
    int nodes,
    int skew,
    int minDelay,
    int maxDelay,
    double eventProbability,
    double communicationProbability,
    double ratePpm) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RigidModel {
    requireWithin("nodes", nodes, 2, 100);
    requireWithin("skew", skew, 1, 1_000_000);
    requireWithin("maximum delay", maxDelay, 0, 10_000);
    requireWithin("minimum delay", minDelay, 0, maxDelay);
    requireWithin("event probability", eventProbability, 0, 1);
    requireWithin("communication probability", communicationProbability, 0, 1);
    requireWithin("rate in ppm", ratePpm, 0, 10_000);
  }

  static void requireWithin(String name, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          "%s must lie in %s to %s: %s".formatted(name, text(least), text(most), text(value)));
    }
  }

  private static String text(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  /** The random numbers of one run, which depend only on the model and the seed. */
  SplittableRandom random(long seed, int run) {
    return RunSeed.random(
        seed,
        run,
        nodes,
        skew,
        minDelay,
        maxDelay,
        Double.doubleToLongBits(eventProbability),
        Double.doubleToLongBits(communicationProbability),
        Double.doubleToLongBits(ratePpm));
  }

  /** The bound on the relative rate of two clocks, as a ratio. */
  double rho() {
    return 2 * ratePpm * 1e-6;
  }
}
