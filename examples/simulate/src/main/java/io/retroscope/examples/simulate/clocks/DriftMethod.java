// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.Locale;

/** The parts of the product's answers that are measured under drift. */
public enum DriftMethod {
  /** The middle of each pair's interval. */
  MIDDLE,
  /** The estimates as they are published: one timeline for all nodes. */
  TIMELINE,
  /** The bounds from stamps alone. */
  STAMPS;

  /**
   * Its name in tables.
   *
   * @param rhoPpm the assumed bound on the relative rate of two clocks
   * @param isDelayKnown whether the estimator knows a minimum delay
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

  /** Whether it yields intervals. */
  public boolean hasIntervals() {
    return this == MIDDLE;
  }
}
