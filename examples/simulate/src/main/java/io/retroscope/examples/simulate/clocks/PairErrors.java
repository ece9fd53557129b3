// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.Arrays;

/** The errors of one run's answers for pairs of nodes. Not thread-safe. */
final class PairErrors {
  private final double[] affectedSumMicros;
  private final int[] affectedCount;
  private double absoluteSumMicros;
  private long estimated;
  private double mostMicros;
  private double widthSumMicros;
  private long bounded;
  private long sound;
  private long total;

  PairErrors(int seconds) {
    affectedSumMicros = new double[seconds + 1];
    affectedCount = new int[seconds + 1];
  }

  /** Adds an estimate for a pair. */
  void estimate(double errorMicros, int second, boolean isAffected) {
    double absoluteMicros = Math.abs(errorMicros);
    absoluteSumMicros += absoluteMicros;
    estimated++;
    mostMicros = Math.max(mostMicros, absoluteMicros);
    if (isAffected) {
      affectedSumMicros[second] += absoluteMicros;
      affectedCount[second]++;
    }
  }

  /** Adds the interval of a pair if it is closed. */
  void interval(boolean isBounded, double widthMicros, boolean isSound) {
    total++;
    if (isBounded) {
      bounded++;
      widthSumMicros += widthMicros;
      sound += isSound ? 1 : 0;
    }
  }

  double meanMicros() {
    return absoluteSumMicros / estimated;
  }

  double mostMicros() {
    return mostMicros;
  }

  double meanWidthMicros() {
    return widthSumMicros / bounded;
  }

  double boundedShare() {
    return (double) bounded / total;
  }

  double soundShare() {
    return (double) sound / bounded;
  }

  long unsoundCount() {
    return bounded - sound;
  }

  /** The mean over the stepping node's pairs at a second; NaN if there is none. */
  double affectedMicros(int second) {
    return affectedSumMicros[second] / affectedCount[second];
  }

  /** The mean over the stepping node's pairs and a range of seconds. */
  double affectedMicros(int fromSecond, int endSecond) {
    return Arrays.stream(affectedSumMicros, fromSecond, endSecond).sum()
        / Arrays.stream(affectedCount, fromSecond, endSecond).sum();
  }
}
