package io.retroscope.server.align.simulation;

/** What is measured of a method, in the order and with the names of the tables' columns. */
public enum Metric {
  /** 1 - estimate / truth, over the nodes that are not level with node 0. */
  ERR_DRIVER("err_driver"),
  /** 1 - estimate / truth of the difference, over all pairs that are not level: as published. */
  ERR_PAIRS_SIGNED("err_pairs_signed"),
  /** The same without its sign. */
  ERR_PAIRS_ABS("err_pairs_abs"),
  /** 1 - estimate / truth of the pair with the full skew. */
  ERR_EXTREME("err_extreme"),
  /** How far the estimate is from the truth in ticks, over all pairs. */
  MAE_TICKS("mae_ticks"),
  /** How many of node 0's pairs have an interval with two ends. */
  BOUNDED("bounded"),
  /** How wide those intervals are, in ticks. */
  WIDTH("width"),
  /** How many of those intervals hold the truth. */
  SOUND("sound"),
  /** {@link #ERR_DRIVER} without its sign. */
  ERR_DRIVER_ABS("err_driver_abs"),
  /** {@link #ERR_EXTREME} without its sign. */
  ERR_EXTREME_ABS("err_extreme_abs");

  private final String column;

  Metric(String column) {
    this.column = column;
  }

  /** What it is called in tables. */
  public String column() {
    return column;
  }

  /** Whether tables have a column for its standard error too. */
  public boolean hasError() {
    return !isOfIntervals() && this != ERR_DRIVER_ABS && this != ERR_EXTREME_ABS;
  }

  /** Whether it is about intervals and not about estimates. */
  public boolean isOfIntervals() {
    return this == BOUNDED || this == WIDTH || this == SOUND;
  }
}
