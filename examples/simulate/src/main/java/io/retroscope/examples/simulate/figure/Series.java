// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.util.List;

/**
 * A line in a panel.
 *
 * @param points by increasing x; the line is interrupted where y is not a number or cannot be shown
 *     on its axis
 */
public record Series(LineStyle style, List<Point> points) {
  /** One point of a line, in the units of its panel's axes. */
  public record Point(double x, double y) {}

  /** Copies the points. */
  public Series {
    points = List.copyOf(points);
  }
}
