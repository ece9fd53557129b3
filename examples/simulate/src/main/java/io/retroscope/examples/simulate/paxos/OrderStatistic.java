// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.paxos;

import java.util.Arrays;

/**
 * The expected k-th smallest of independent normal variables: how long a quorum takes. Computed by
 * integration, not by drawing.
 */
public final class OrderStatistic {
  private static final int STEPS = 2_000;
  private static final double DEVIATIONS = 9;

  private OrderStatistic() {}

  /** The expected k-th smallest of {@code count} equal variables; k counts from 1. */
  public static double expected(double mean, double deviation, int count, int k) {
    double[] means = new double[count];
    double[] deviations = new double[count];
    Arrays.fill(means, mean);
    Arrays.fill(deviations, deviation);
    return expected(means, deviations, k);
  }

  /**
   * The expected k-th smallest; k counts from 1.
   *
   * @throws IllegalArgumentException if there is no k-th variable
   */
  public static double expected(double[] means, double[] deviations, int k) {
    if (k < 1 || k > means.length) {
      throw new IllegalArgumentException("k must lie in 1 to " + means.length + ": " + k);
    }
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < means.length; i++) {
      low = Math.min(low, means[i] - DEVIATIONS * deviations[i]);
      high = Math.max(high, means[i] + DEVIATIONS * deviations[i]);
    }
    // E = low + the integral of the probability that fewer than k are below x.
    double step = (high - low) / STEPS;
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
      sum += fewerThan(k, means, deviations, low + (i + 0.5) * step);
    }
    return low + sum * step;
  }

  /** The probability that fewer than k variables are below x. */
  private static double fewerThan(int k, double[] means, double[] deviations, double x) {
    double[] probability = new double[k];
    probability[0] = 1;
    for (int i = 0; i < means.length; i++) {
      double below = normal((x - means[i]) / deviations[i]);
      for (int j = k - 1; j >= 0; j--) {
        probability[j] = probability[j] * (1 - below) + (j > 0 ? probability[j - 1] * below : 0);
      }
    }
    double sum = 0;
    for (double p : probability) {
      sum += p;
    }
    return sum;
  }

  /**
   * The standard normal distribution function, by a series near zero and a fraction in the tails.
   */
  static double normal(double z) {
    double a = Math.abs(z);
    double density = Math.exp(-a * a / 2) / Math.sqrt(2 * Math.PI);
    if (a < 4) {
      double term = a;
      double sum = a;
      for (int i = 1; term > 1e-17 * sum; i++) {
        term *= a * a / (2 * i + 1);
        sum += term;
      }
      return z >= 0 ? 0.5 + density * sum : 0.5 - density * sum;
    }
    double fraction = a;
    for (int i = 40; i >= 1; i--) {
      fraction = a + i / fraction;
    }
    return z >= 0 ? 1 - density / fraction : density / fraction;
  }
}
