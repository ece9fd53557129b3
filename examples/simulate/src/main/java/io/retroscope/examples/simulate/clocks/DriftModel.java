// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.SplittableRandom;

/**
 * Clocks that drift, one of which may step, on nodes that continuously send messages to each other.
 * Immutable.
 *
 * <p>Every clock is initially wrong by up to 25 ms and runs at a constant rate of its own; readings
 * are whole microseconds. Every node sends at random moments, on average five times per second,
 * each time to a random other node. The step of a randomly chosen clock happens at half time.
 *
 * @param ratePpm every clock's rate is uniform within this many parts per million of true
 * @param stepMillis the size of the step, 0 for none
 * @param seconds the duration
 */
public record DriftModel(DelayModel delay, double ratePpm, double stepMillis, int seconds) {
  static final int NODES = 5;
  static final double MOST_OFFSET_MICROS = 25_000;
  static final double SENDS_A_SECOND = 5;

  /** The fraction of the duration before measuring begins. */
  private static final int WARM_UP_SHARE = 10;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public DriftModel {
    RigidModel.requireWithin("rate in ppm", ratePpm, 0, 10_000);
    RigidModel.requireWithin("step in ms", stepMillis, -10_000, 10_000);
    RigidModel.requireWithin("seconds", seconds, 20, 86_400);
  }

  /** The first second that is measured. */
  int warmUpSeconds() {
    return seconds / WARM_UP_SHARE;
  }

  /** The second at which the clock steps, if there is a step. */
  int stepSecond() {
    return seconds / 2;
  }

  boolean hasStep() {
    return stepMillis != 0;
  }

  /**
   * The random numbers of one run. They do not depend on the step, so neither do the clocks and
   * messages.
   */
  SplittableRandom random(long seed, int run) {
    return RunSeed.random(
        seed,
        run,
        Double.doubleToLongBits(delay.minimumMillis()),
        Double.doubleToLongBits(delay.scaleMillis()),
        delay.shape().name().hashCode(),
        Double.doubleToLongBits(ratePpm),
        seconds);
  }
}
