// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.util.List;

/** One chart of a figure. */
public record Panel(String title, Axis x, Axis y, List<Series> series) {
  /** Copies the lines. */
  public Panel {
    series = List.copyOf(series);
  }
}
