// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One method under drift, over many runs. */
public final class DriftSummary {
  /** The ratio to the error before the step up to which the error is back to normal. */
  static final double NORMAL_FACTOR = 2;

  private final DriftModel model;
  private final DriftMethod method;
  private final Map<DriftMetric, RunMean> means = new EnumMap<>(DriftMetric.class);
  private final List<RunMean> course = new ArrayList<>();
  private final List<Double> detectionSeconds = new ArrayList<>();
  private final List<Double> recoverySeconds = new ArrayList<>();
  private double mostMicros;

  DriftSummary(DriftModel model, DriftMethod method) {
    this.model = model;
    this.method = method;
    for (DriftMetric metric : DriftMetric.values()) {
      means.put(metric, new RunMean());
    }
    for (int second = 0; second <= model.seconds(); second++) {
      course.add(new RunMean());
    }
  }

  /** Measures one run that has ended. */
  void add(DriftRun run) {
    PairErrors errors = run.of(method);
    mostMicros = Math.max(mostMicros, errors.mostMicros());
    of(DriftMetric.MAE_MS).add(errors.meanMicros() / 1e3);
    if (method.hasIntervals()) {
      of(DriftMetric.SOUND).add(errors.soundShare());
      of(DriftMetric.WIDTH_MS).add(errors.meanWidthMicros() / 1e3);
      of(DriftMetric.BOUNDED).add(errors.boundedShare());
      of(DriftMetric.SILENT_UNSOUND_S).add(run.silentUnsoundSeconds());
      of(DriftMetric.OTHER_UNSOUND_S).add(run.unsoundSecondsOtherwise());
    }
    for (int second = model.warmUpSeconds(); second <= model.seconds(); second++) {
      double affected = errors.affectedMicros(second) / 1e3;
      if (!Double.isNaN(affected)) {
        course.get(second).add(affected);
      }
    }
    boolean isAlarmFalse = run.falseAlarms() > 0;
    boolean isDetected = !Double.isNaN(run.detectedSeconds());
    of(DriftMetric.FALSE_ALARM_FRAC).add(isAlarmFalse ? 1 : 0);
    of(DriftMetric.DETECT_FRAC).add((model.hasStep() ? isDetected : isAlarmFalse) ? 1 : 0);
    if (model.hasStep()) {
      List<String> named = run.namedNodes();
      boolean isNamed = named.contains(run.steppingNode());
      of(DriftMetric.NAMED_FRAC).add(isNamed ? 1 : 0);
      of(DriftMetric.NAMED_ALONE_FRAC).add(isNamed && named.size() == 1 ? 1 : 0);
      if (isDetected) {
        detectionSeconds.add(run.detectedSeconds());
      }
      addRecovery(errors);
    }
  }

  private void addRecovery(PairErrors errors) {
    int step = model.stepSecond();
    double normal = errors.affectedMicros(model.warmUpSeconds(), step);
    of(DriftMetric.PRE_MAE_AFFECTED_MS).add(normal / 1e3);
    int second = step + 1;
    while (second <= model.seconds()
        && !(errors.affectedMicros(second) <= NORMAL_FACTOR * normal)) {
      second++;
    }
    boolean isBack = second <= model.seconds();
    of(DriftMetric.NOT_RECOVERED_FRAC).add(isBack ? 0 : 1);
    recoverySeconds.add(isBack ? (double) second - step : Double.POSITIVE_INFINITY);
  }

  /** Adds the measurements of other runs. */
  void add(DriftSummary other) {
    means.forEach((metric, mean) -> mean.add(other.of(metric)));
    for (int i = 0; i < course.size(); i++) {
      course.get(i).add(other.course.get(i));
    }
    detectionSeconds.addAll(other.detectionSeconds);
    recoverySeconds.addAll(other.recoverySeconds);
    mostMicros = Math.max(mostMicros, other.mostMicros);
  }

  private RunMean of(DriftMetric metric) {
    return Objects.requireNonNull(means.get(metric));
  }

  /** The number of runs. */
  public long runs() {
    return of(DriftMetric.MAE_MS).runs();
  }

  /** A metric's mean over the runs; NaN if it does not apply. */
  public double mean(DriftMetric metric) {
    return of(metric).mean();
  }

  /** The standard error of that mean. */
  public double standardError(DriftMetric metric) {
    return of(metric).standardError();
  }

  /** The largest error of any pair at any time, in milliseconds. */
  public double mostMillis() {
    return mostMicros / 1e3;
  }

  /**
   * The time to find the step, over those runs in which it was found.
   *
   * @param share 0.5 for the median; 0 to 1
   * @return in seconds; NaN if there was no such run
   */
  public double detectionSeconds(double share) {
    return quantile(detectionSeconds, share);
  }

  /**
   * The time until the error of the stepped clock's pairs was at most twice its average before the
   * step, in whole seconds; infinite if it never was.
   *
   * @param share 0.5 for the median; 0 to 1
   */
  public double recoverySeconds(double share) {
    return quantile(recoverySeconds, share);
  }

  private static double quantile(List<Double> values, double share) {
    if (values.isEmpty()) {
      return Double.NaN;
    }
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.get((int) Math.round(share * (sorted.size() - 1)));
  }

  /**
   * The mean error of the pairs of the clock that steps, or would, in milliseconds.
   *
   * @param secondsSinceStep negative before it
   * @return NaN if nothing was measured
   */
  public double affectedMillis(int secondsSinceStep) {
    int second = model.stepSecond() + secondsSinceStep;
    return second < 0 || second >= course.size() ? Double.NaN : course.get(second).mean();
  }
}
