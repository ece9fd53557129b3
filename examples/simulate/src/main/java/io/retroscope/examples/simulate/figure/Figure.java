// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.util.List;

/**
 * Panels side by side under one title, with one legend for all.
 *
 * @param columns panels in a row, 1 or more
 * @param legend the meaning of the line styles
 */
public record Figure(String title, int columns, List<Panel> panels, List<LegendEntry> legend) {
  /** The meaning of one line style. */
  public record LegendEntry(String text, LineStyle style) {}

  /** Copies the lists. */
  public Figure {
    if (columns < 1) {
      throw new IllegalArgumentException("columns must be 1 or more: " + columns);
    }
    panels = List.copyOf(panels);
    legend = List.copyOf(legend);
  }
}
