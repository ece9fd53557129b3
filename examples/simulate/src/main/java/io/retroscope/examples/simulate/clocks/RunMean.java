// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

/** A mean over runs, with its standard error. Not thread-safe. */
final class RunMean {
  private long runs;
  private double sum;
  private double sumSquares;

  /** Adds one run's value. */
  void add(double value) {
    runs++;
    sum += value;
    sumSquares += value * value;
  }

  void add(RunMean other) {
    runs += other.runs;
    sum += other.sum;
    sumSquares += other.sumSquares;
  }

  /** The number of runs with a value. */
  long runs() {
    return runs;
  }

  /** NaN if no run had a value. */
  double mean() {
    return sum / runs;
  }

  /** From the variance of the runs; NaN if fewer than two had a value. */
  double standardError() {
    if (runs < 2) {
      return Double.NaN;
    }
    double variance = (sumSquares - sum * mean()) / (runs - 1);
    return Math.sqrt(Math.max(0, variance) / runs);
  }
}
