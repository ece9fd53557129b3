// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.harness;

import java.util.Arrays;

/** The figures of the rounds of a measurement, in any unit. Immutable. */
public final class Samples {
  private final double[] ascending;

  /**
   * Figures in any order.
   *
   * @param figures at least one
   */
  public Samples(double... figures) {
    ascending = figures.clone();
    Arrays.sort(ascending);
  }

  /** The figure that as many are below as above; of an even number the higher of two. */
  public double median() {
    return ascending[ascending.length / 2];
  }

  public double lowest() {
    return ascending[0];
  }

  public double highest() {
    return ascending[ascending.length - 1];
  }

  /** The figure that a quarter of the others are below. */
  public double lowerQuartile() {
    return ascending[ascending.length / 4];
  }

  /** The figure that a quarter of the others are above. */
  public double upperQuartile() {
    return ascending[ascending.length - 1 - ascending.length / 4];
  }
}
