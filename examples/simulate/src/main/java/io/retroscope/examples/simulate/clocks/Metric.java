// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

/** The measured quantities of a method, in the order and with the names of the tables' columns. */
public enum Metric {
  /** 1 - estimate / truth, over the nodes that are not level with node 0. */
  ERR_DRIVER("err_driver"),
  /** 1 - estimate / truth of the difference, over all pairs that are not level: as published. */
  ERR_PAIRS_SIGNED("err_pairs_signed"),
  /** The same without its sign. */
  ERR_PAIRS_ABS("err_pairs_abs"),
  /** 1 - estimate / truth of the pair with the full skew. */
  ERR_EXTREME("err_extreme"),
  /** The mean distance of the estimate from the truth in ticks, over all pairs. */
  MAE_TICKS("mae_ticks"),
  /** The share of node 0's pairs with an interval that has two ends. */
  BOUNDED("bounded"),
  /** The mean width of those intervals, in ticks. */
  WIDTH("width"),
  /** The share of those intervals that contain the truth. */
  SOUND("sound"),
  /** {@link #ERR_DRIVER} without its sign. */
  ERR_DRIVER_ABS("err_driver_abs"),
  /** {@link #ERR_EXTREME} without its sign. */
  ERR_EXTREME_ABS("err_extreme_abs");

  private final String column;

  Metric(String column) {
    this.column = column;
  }

  /** Its name in tables. */
  public String column() {
    return column;
  }

  /** Whether tables include a column for its standard error. */
  public boolean hasError() {
    return !isOfIntervals() && this != ERR_DRIVER_ABS && this != ERR_EXTREME_ABS;
  }

  /** Whether it measures intervals rather than estimates. */
  public boolean isOfIntervals() {
    return this == BOUNDED || this == WIDTH || this == SOUND;
  }
}
