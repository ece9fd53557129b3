// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

/** The measured quantities under drift, with the names of the tables' columns. */
public enum DriftMetric {
  /** The mean distance of estimates from the truth, over all pairs and seconds. */
  MAE_MS("mae_ms"),
  /** The share of the closed intervals that contain the truth. */
  SOUND("sound"),
  /** The mean width of the closed intervals. */
  WIDTH_MS("width_ms"),
  /** The share of intervals that are closed. */
  BOUNDED("bounded"),
  /** The stepping clock's pairs before the step. */
  PRE_MAE_AFFECTED_MS("pre_mae_affected_ms"),
  /** Seconds per run with a wrong interval after a step and before it was found. */
  SILENT_UNSOUND_S("silent_unsound_s"),
  /** Seconds per run with a wrong interval at any other time. */
  OTHER_UNSOUND_S("other_unsound_s"),
  /** The share of runs in which a step was reported, correctly or not. */
  DETECT_FRAC("detect_frac"),
  /** The share of runs in which a step was reported although there was none. */
  FALSE_ALARM_FRAC("false_alarm_frac"),
  /** The share of runs in which the clock that stepped was among the suspects. */
  NAMED_FRAC("named_frac"),
  /** The share of runs in which it was the only suspect. */
  NAMED_ALONE_FRAC("named_alone_frac"),
  /** The share of runs in which the error never returned to normal. */
  NOT_RECOVERED_FRAC("not_recovered_frac");

  private final String column;

  DriftMetric(String column) {
    this.column = column;
  }

  /** Its name in tables. */
  public String column() {
    return column;
  }
}
