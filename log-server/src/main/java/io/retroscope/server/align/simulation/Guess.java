package io.retroscope.server.align.simulation;

import java.util.Arrays;

/**
 * What a method says of every node's offset from node 0. Not thread-safe.
 *
 * <p>An offset of which only the least is known is taken to be that, or 0, for node 0 is the
 * highest; 0 stands for an unknown one too.
 */
final class Guess {
  /** What adding readings with rates in them may get wrong, in ticks. */
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
