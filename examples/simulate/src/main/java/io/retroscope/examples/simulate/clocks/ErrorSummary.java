// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * All metrics of one method over many runs: means over the runs, each with its standard error.
 * Widths and soundness are means over those runs that had any closed interval.
 */
public final class ErrorSummary {
  private final Map<Metric, RunMean> means = new EnumMap<>(Metric.class);

  ErrorSummary() {
    for (Metric metric : Metric.values()) {
      means.put(metric, new RunMean());
    }
  }

  /** Measures one run. */
  void add(RigidRun run, Guess guess) {
    driver(run, guess);
    pairs(run, guess);
    int last = guess.nodes() - 1;
    double extreme = 1 - (guess.offset(last) - guess.offset(0)) / run.trueOffset(last);
    of(Metric.ERR_EXTREME).add(extreme);
    of(Metric.ERR_EXTREME_ABS).add(Math.abs(extreme));
  }

  private void driver(RigidRun run, Guess guess) {
    double sum = 0;
    double sumAbs = 0;
    int unlevel = 0;
    double width = 0;
    int bounded = 0;
    int sound = 0;
    for (int i = 1; i < guess.nodes(); i++) {
      double truth = run.trueOffset(i);
      if (truth != 0) {
        double error = 1 - guess.offset(i) / truth;
        sum += error;
        sumAbs += Math.abs(error);
        unlevel++;
      }
      if (guess.isBounded(i)) {
        bounded++;
        width += guess.width(i);
        sound += guess.contains(i, truth) ? 1 : 0;
      }
    }
    of(Metric.ERR_DRIVER).add(sum / unlevel);
    of(Metric.ERR_DRIVER_ABS).add(sumAbs / unlevel);
    of(Metric.BOUNDED).add((double) bounded / (guess.nodes() - 1));
    if (bounded > 0) {
      of(Metric.WIDTH).add(width / bounded);
      of(Metric.SOUND).add((double) sound / bounded);
    }
  }

  private void pairs(RigidRun run, Guess guess) {
    double sum = 0;
    double sumAbs = 0;
    int unlevel = 0;
    double ticks = 0;
    int pairs = 0;
    for (int i = 1; i < guess.nodes(); i++) {
      for (int j = 0; j < i; j++) {
        double truth = run.trueOffset(i) - run.trueOffset(j);
        double found = guess.offset(i) - guess.offset(j);
        ticks += Math.abs(found - truth);
        pairs++;
        if (truth != 0) {
          double error = 1 - found / truth;
          sum += error;
          sumAbs += Math.abs(error);
          unlevel++;
        }
      }
    }
    of(Metric.ERR_PAIRS_SIGNED).add(sum / unlevel);
    of(Metric.ERR_PAIRS_ABS).add(sumAbs / unlevel);
    of(Metric.MAE_TICKS).add(ticks / pairs);
  }

  /** Adds the measurements of other runs. */
  void add(ErrorSummary other) {
    means.forEach((metric, mean) -> mean.add(other.of(metric)));
  }

  private RunMean of(Metric metric) {
    return Objects.requireNonNull(means.get(metric));
  }

  /** The number of runs. */
  public long runs() {
    return of(Metric.MAE_TICKS).runs();
  }

  /** A metric's mean over the runs; NaN if it does not apply. */
  public double mean(Metric metric) {
    return of(metric).mean();
  }

  /** The standard error of that mean. */
  public double standardError(Metric metric) {
    return of(metric).standardError();
  }
}
