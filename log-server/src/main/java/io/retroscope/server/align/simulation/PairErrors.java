package io.retroscope.server.align.simulation;

import java.util.Arrays;

/** The errors of one run's answers for pairs of nodes. Not thread-safe. */
final class PairErrors {
  private final double[] affectedSum;
  private final int[] affectedCount;
  private double absoluteSum;
  private long estimated;
  private double most;
  private double widthSum;
  private long bounded;
  private long sound;
  private long asked;

  PairErrors(int seconds) {
    affectedSum = new double[seconds + 1];
    affectedCount = new int[seconds + 1];
  }

  /** Adds an estimate for a pair. */
  void estimate(double errorMicros, int second, boolean isAffected) {
    double absolute = Math.abs(errorMicros);
    absoluteSum += absolute;
    estimated++;
    most = Math.max(most, absolute);
    if (isAffected) {
      affectedSum[second] += absolute;
      affectedCount[second]++;
    }
  }

  /** Adds the interval of a pair if it is closed. */
  void interval(boolean isBounded, double widthMicros, boolean isSound) {
    asked++;
    if (isBounded) {
      bounded++;
      widthSum += widthMicros;
      sound += isSound ? 1 : 0;
    }
  }

  double meanMicros() {
    return absoluteSum / estimated;
  }

  double mostMicros() {
    return most;
  }

  double meanWidthMicros() {
    return widthSum / bounded;
  }

  double boundedShare() {
    return (double) bounded / asked;
  }

  double soundShare() {
    return (double) sound / bounded;
  }

  long unsoundCount() {
    return bounded - sound;
  }

  /** The mean over the stepping node's pairs at a second; NaN if there is none. */
  double affectedMicros(int second) {
    return affectedSum[second] / affectedCount[second];
  }

  /** The mean over the stepping node's pairs and a range of seconds. */
  double affectedMicros(int fromSecond, int endSecond) {
    return Arrays.stream(affectedSum, fromSecond, endSecond).sum()
        / Arrays.stream(affectedCount, fromSecond, endSecond).sum();
  }
}
