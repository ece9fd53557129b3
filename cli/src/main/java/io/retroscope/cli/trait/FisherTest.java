// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

/**
 * Fisher's exact test of the association of two properties of runs, failing and having a trait
 * (Fisher, The Design of Experiments, 1935). Immutable.
 */
final class FisherTest {
  private final int failing;
  private final int all;
  private final double[] logFactorials;

  /**
   * A test of traits of some runs.
   *
   * @param failing the number of failing runs, at most {@code all}
   */
  FisherTest(int failing, int all) {
    this.failing = failing;
    this.all = all;
    logFactorials = new double[all + 1];
    for (int i = 2; i <= all; i++) {
      logFactorials[i] = logFactorials[i - 1] + Math.log(i);
    }
  }

  /**
   * The probability of an association at least as strong, in either direction, if failing does not
   * depend on the trait: twice that of the direction that is seen.
   *
   * @param having the number of runs with the trait
   * @param failingHaving the number of failing runs among them
   */
  double probability(int having, int failingHaving) {
    return Math.min(1, 2 * Math.min(atLeast(having, failingHaving), atMost(having, failingHaving)));
  }

  /** The least probability that a trait of so many runs can have. */
  double leastProbability(int having) {
    int most = Math.min(having, failing);
    int least = Math.max(0, having - (all - failing));
    return Math.min(probability(having, most), probability(having, least));
  }

  private double atLeast(int having, int failingHaving) {
    double sum = 0;
    for (int i = Math.min(having, failing); i >= failingHaving; i--) {
      sum += exactly(having, i);
    }
    return sum;
  }

  private double atMost(int having, int failingHaving) {
    double sum = 0;
    for (int i = Math.max(0, having - (all - failing)); i <= failingHaving; i++) {
      sum += exactly(having, i);
    }
    return sum;
  }

  /** The hypergeometric probability. */
  private double exactly(int having, int failingHaving) {
    return Math.exp(
        logBinomial(failing, failingHaving)
            + logBinomial(all - failing, having - failingHaving)
            - logBinomial(all, having));
  }

  private double logBinomial(int n, int k) {
    return logFactorials[n] - logFactorials[k] - logFactorials[n - k];
  }
}
