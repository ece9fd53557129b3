package io.retroscope.server.align.simulation;

/** What is measured under drift, with the names of the tables' columns. */
public enum DriftMetric {
  /** How far estimates are from the truth, over all pairs and seconds. */
  MAE_MS("mae_ms"),
  /** How many of the closed intervals hold the truth. */
  SOUND("sound"),
  /** How wide the closed intervals are. */
  WIDTH_MS("width_ms"),
  /** How many intervals are closed. */
  BOUNDED("bounded"),
  /** The stepping clock's pairs before the step. */
  PRE_MAE_AFFECTED_MS("pre_mae_affected_ms"),
  /** Seconds with a wrong interval after a step and before it was found, a run. */
  SILENT_UNSOUND_S("silent_unsound_s"),
  /** Seconds with a wrong interval at any other time, a run. */
  OTHER_UNSOUND_S("other_unsound_s"),
  /** In how many runs a step was reported, rightly or not. */
  DETECT_FRAC("detect_frac"),
  /** In how many runs a step was reported where there was none. */
  FALSE_ALARM_FRAC("false_alarm_frac"),
  /** In how many runs the clock that stepped was among those that may have. */
  NAMED_FRAC("named_frac"),
  /** In how many runs it was the only one. */
  NAMED_ALONE_FRAC("named_alone_frac"),
  /** In how many runs the error never came back to normal. */
  NOT_RECOVERED_FRAC("not_recovered_frac");

  private final String column;

  DriftMetric(String column) {
    this.column = column;
  }

  /** What it is called in tables. */
  public String column() {
    return column;
  }
}
