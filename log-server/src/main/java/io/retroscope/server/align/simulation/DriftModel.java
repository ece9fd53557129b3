package io.retroscope.server.align.simulation;

import java.util.SplittableRandom;

/**
 * Clocks that drift, one of which may step, on nodes that send one another messages all the time.
 * Immutable.
 *
 * <p>Every clock is wrong by up to 25 ms at first and runs at a constant rate of its own; readings
 * are whole microseconds. Every node sends at random moments, on average five times a second, each
 * time to any other node. The step, of a clock drawn by chance, comes at half time.
 *
 * @param ratePpm every clock's rate is uniform within so many parts per million of true
 * @param stepMillis how far one clock jumps, 0 for not at all
 * @param seconds how long it goes on
 */
public record DriftModel(DelayModel delay, double ratePpm, double stepMillis, int seconds) {
  static final int NODES = 5;
  static final double MOST_OFFSET_MICROS = 25_000;
  static final double SENDS_A_SECOND = 5;

  /** The share of the time before anything is measured. */
  private static final int WARM_UP_SHARE = 10;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a value lies outside its range; the message names it
   */
  public DriftModel {
    RigidModel.requireWithin("rate in ppm", ratePpm, 0, 10_000);
    RigidModel.requireWithin("step in ms", stepMillis, -10_000, 10_000);
    RigidModel.requireWithin("seconds", seconds, 20, 86_400);
  }

  /** The first second that counts. */
  int warmUpSeconds() {
    return seconds / WARM_UP_SHARE;
  }

  /** The second at which the clock steps, if it does. */
  int stepSecond() {
    return seconds / 2;
  }

  boolean hasStep() {
    return stepMillis != 0;
  }

  /** The chances of one run, the same for any step: the clocks and messages are, too. */
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
