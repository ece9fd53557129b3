package io.retroscope.server.align.simulation;

import java.util.Locale;

/** What is measured of the product's answers under drift. */
public enum DriftMethod {
  /** The middle of each pair's interval. */
  MIDDLE,
  /** The estimates as they are published: one timeline for all nodes. */
  TIMELINE,
  /** What stamps alone would tell. */
  STAMPS;

  /**
   * What it is called in tables.
   *
   * @param rhoPpm the assumed bound on the relative rate of two clocks
   * @param isDelayKnown whether the estimator was told a least delay
   */
  public String column(double rhoPpm, boolean isDelayKnown) {
    String rho =
        rhoPpm == Math.rint(rhoPpm)
            ? String.format(Locale.ROOT, "%.0f", rhoPpm)
            : Double.toString(rhoPpm);
    String dmin = isDelayKnown ? "_dmin" : "";
    return switch (this) {
      case MIDDLE -> "aged" + rho + dmin;
      case TIMELINE -> "aged" + rho + "_LS" + dmin;
      case STAMPS -> "one_aged" + rho;
    };
  }

  /** Whether it gives intervals. */
  public boolean hasIntervals() {
    return this == MIDDLE;
  }
}
