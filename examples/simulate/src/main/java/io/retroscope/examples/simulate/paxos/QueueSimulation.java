// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

import java.util.Random;

/**
 * A queue of rounds that begin at random, each with normal message costs: the check of Marchal's
 * formula. Used by one thread.
 */
public final class QueueSimulation {
  private final Random random;

  /** A simulation that is the same for the same seed. */
  public QueueSimulation(long seed) {
    this.random = new Random(seed);
  }

  /** The mean wait over a number of rounds, in milliseconds. */
  public double meanWaitMillis(Work work, MessageCost cost, double perSecond, int rounds) {
    double mean = work.millis(cost);
    double deviation = mean * Math.sqrt(work.squaredVariation(cost));
    double wait = 0;
    double sum = 0;
    for (int i = 0; i < rounds; i++) {
      sum += wait;
      double service = Math.max(0, mean + deviation * random.nextGaussian());
      double gap = -Math.log(1 - random.nextDouble()) * 1_000 / perSecond;
      wait = Math.max(0, wait + service - gap);
    }
    return sum / rounds;
  }
}
