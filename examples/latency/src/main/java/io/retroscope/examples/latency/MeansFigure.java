// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Means over time on a logarithmic scale, one line for each row, as SVG. */
final class MeansFigure {
  /** With fewer means there is no line. */
  static final int MIN_MEAN_COUNT = 2;

  private static final int LEFT = 60;
  private static final int TOP = 20;
  private static final int WIDTH = 600;
  private static final int DECADE = 50;
  private static final int NAMES = 140;
  private static final int ROW = 18;

  private MeansFigure() {}

  /** The figure of rows of which at least one has {@link #MIN_MEAN_COUNT} means. */
  static String svg(String node, long periodMicros, Map<String, List<Double>> rows) {
    long seconds = periodMicros / 1_000_000;
    int count = rows.values().stream().mapToInt(List::size).max().orElse(0);
    int height = TOP + Math.max(Svg.DECADES * DECADE, ROW * rows.size()) + 40;
    Svg svg =
        new Svg(
            LEFT + WIDTH + NAMES,
            height,
            "Means of %d s of the latencies measured by %s".formatted(seconds, node));
    int bottom = TOP + Svg.DECADES * DECADE;
    for (int i = 0; i <= Svg.DECADES; i++) {
      int y = bottom - i * DECADE;
      svg.add("<path d='M%d %dH%d' stroke='#ccc'/>", LEFT, y, LEFT + WIDTH);
      svg.add("<text x='%d' y='%d' text-anchor='end'>%s</text>", LEFT - 6, y + 4, Svg.SCALE[i]);
    }
    svg.add("<text x='%d' y='%d'>0 s</text>", LEFT, bottom + 20);
    svg.add(
        "<text x='%d' y='%d' text-anchor='end'>%d s</text>",
        LEFT + WIDTH, bottom + 20, (count - 1) * seconds);
    int number = 0;
    for (Map.Entry<String, List<Double>> row : rows.entrySet()) {
      String colour = Svg.colour(number);
      svg.add(
          "<path d='%s' fill='none' stroke='%s' stroke-linecap='round'/>",
          path(row.getValue(), count, bottom), colour);
      svg.add(
          "<text x='%d' y='%d' fill='%s'>%s</text>",
          LEFT + WIDTH + 10, TOP + 10 + number * ROW, colour, Svg.escape(row.getKey()));
      number++;
    }
    return svg.end();
  }

  /** A line with a gap at each period without values; between two gaps, a dot. */
  private static String path(List<Double> means, int count, int bottom) {
    StringBuilder path = new StringBuilder();
    boolean drawing = false;
    for (int i = 0; i < means.size(); i++) {
      double mean = means.get(i);
      if (!Double.isNaN(mean)) {
        path.append(
            String.format(
                Locale.ROOT,
                drawing ? "L%.1f %.1f" : "M%.1f %.1fh0",
                LEFT + (double) WIDTH * i / (count - 1),
                bottom - DECADE * Svg.decades(mean)));
      }
      drawing = !Double.isNaN(mean);
    }
    return path.toString();
  }
}
