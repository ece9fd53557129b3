// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.Arrays;

/**
 * A method's estimate of every node's offset from node 0. Not thread-safe.
 *
 * <p>An offset with only a lower bound is estimated by that bound, or by 0 if the bound is
 * negative, because node 0 has the highest clock. An unknown offset is estimated as 0.
 */
final class Guess {
  /** The possible rounding error of readings with rates, in ticks. */
  private static final double ROUNDING = 1e-6;

  private final double[] offset;
  private final double[] low;
  private final double[] high;

  Guess(int nodes) {
    offset = new double[nodes];
    low = new double[nodes];
    high = new double[nodes];
    Arrays.fill(low, Double.NEGATIVE_INFINITY);
    Arrays.fill(high, Double.POSITIVE_INFINITY);
  }

  void set(int node, double offset, double low, double high) {
    this.offset[node] = offset;
    this.low[node] = low;
    this.high[node] = high;
  }

  int nodes() {
    return offset.length;
  }

  double offset(int node) {
    return offset[node];
  }

  boolean isBounded(int node) {
    return low[node] > Double.NEGATIVE_INFINITY && high[node] < Double.POSITIVE_INFINITY;
  }

  double width(int node) {
    return high[node] - low[node];
  }

  boolean contains(int node, double truth) {
    return low[node] - ROUNDING <= truth && truth <= high[node] + ROUNDING;
  }
}
