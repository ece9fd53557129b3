// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.Arrays;
import java.util.Map;

/** Histograms on a logarithmic scale, one below the other, as SVG. */
final class HistogramFigure {
  private static final int LEFT = 130;
  private static final int TOP = 40;
  private static final int ROW = 60;
  private static final int BARS = 44;
  private static final int BAR = 10;

  private HistogramFigure() {}

  /** The figure of rows by name, each with the bins of {@link Latencies#bins}. */
  static String svg(String node, Map<String, long[]> rows) {
    int decade = BAR * Latencies.BINS_PER_DECADE;
    int height = TOP + ROW * rows.size() + 20;
    Svg svg =
        new Svg(
            LEFT + Svg.DECADES * decade + 20,
            height,
            "Histograms of the latencies measured by "
                + node
                + ": the highest bar of each has the full height");
    for (int i = 0; i <= Svg.DECADES; i++) {
      int x = LEFT + i * decade;
      svg.add("<path d='M%d %dV%d' stroke='#ccc'/>", x, TOP - 8, height - 16);
      svg.add("<text x='%d' y='%d' text-anchor='middle'>%s</text>", x, TOP - 14, Svg.SCALE[i]);
    }
    int bottom = TOP + BARS;
    int number = 0;
    for (Map.Entry<String, long[]> row : rows.entrySet()) {
      svg.add(
          "<text x='%d' y='%d' text-anchor='end'>%s</text>",
          LEFT - 8, bottom - 4, Svg.escape(row.getKey()));
      bars(svg, bottom, row.getValue(), Svg.colour(number++));
      bottom += ROW;
    }
    return svg.end();
  }

  private static void bars(Svg svg, int bottom, long[] bins, String colour) {
    long highest = Arrays.stream(bins).max().orElse(0);
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] > 0) {
        // A single value is visible too.
        double bar = Math.max(1, (double) BARS * bins[i] / highest);
        svg.add(
            "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>",
            LEFT + i * BAR, bottom - bar, BAR - 1, bar, colour);
      }
    }
  }
}
