// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Cumulative distributions on a logarithmic scale, one line for each row, as SVG. */
final class DistributionFigure {
  private static final int LEFT = 60;
  private static final int TOP = 20;
  private static final int DECADE = 100;
  private static final int HEIGHT = 300;
  private static final int NAMES = 140;
  private static final int ROW = 18;
  private static final int PERCENT_STEP = 25;

  private DistributionFigure() {}

  /** The figure of rows by name, each with the bins of {@link Latencies#bins}. */
  static String svg(String node, Map<String, long[]> rows) {
    int width = Svg.DECADES * DECADE;
    int bottom = TOP + Math.max(HEIGHT, ROW * rows.size());
    Svg svg =
        new Svg(
            LEFT + width + NAMES,
            bottom + 40,
            "Cumulative distributions of the latencies measured by " + node);
    for (int percent = 0; percent <= 100; percent += PERCENT_STEP) {
      int y = bottom - HEIGHT * percent / 100;
      svg.add("<path d='M%d %dH%d' stroke='#ccc'/>", LEFT, y, LEFT + width);
      svg.add("<text x='%d' y='%d' text-anchor='end'>%d %%</text>", LEFT - 6, y + 4, percent);
    }
    for (int i = 0; i <= Svg.DECADES; i++) {
      svg.add(
          "<text x='%d' y='%d' text-anchor='middle'>%s</text>",
          LEFT + i * DECADE, bottom + 20, Svg.SCALE[i]);
    }
    int number = 0;
    for (Map.Entry<String, long[]> row : rows.entrySet()) {
      String colour = Svg.colour(number);
      svg.add(
          "<polyline points='%s' fill='none' stroke='%s'/>",
          points(row.getValue(), bottom), colour);
      svg.add(
          "<text x='%d' y='%d' fill='%s'>%s</text>",
          LEFT + width + 10, TOP + 10 + number * ROW, colour, Svg.escape(row.getKey()));
      number++;
    }
    return svg.end();
  }

  /** The share of values up to the end of each bin. */
  private static String points(long[] bins, int bottom) {
    long total = Arrays.stream(bins).sum();
    StringBuilder points = new StringBuilder(LEFT + "," + bottom);
    long sum = 0;
    for (int i = 0; i < bins.length && total > 0; i++) {
      sum += bins[i];
      points.append(
          String.format(
              Locale.ROOT,
              " %d,%.1f",
              LEFT + (i + 1) * DECADE / Latencies.BINS_PER_DECADE,
              bottom - (double) HEIGHT * sum / total));
    }
    return points.toString();
  }
}
