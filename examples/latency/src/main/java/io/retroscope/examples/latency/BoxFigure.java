// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.latency.Latencies.Box;
import java.util.Map;

/** Box plots on a logarithmic scale, from 10 microseconds to 10 seconds, as SVG. */
final class BoxFigure {
  private static final int LEFT = 130;
  private static final int ROW = 26;
  private static final int TOP = 40;
  private static final int DECADE = 100;

  private BoxFigure() {}

  static String svg(String node, Map<String, Box> boxes) {
    int height = TOP + ROW * boxes.size() + 20;
    Svg svg =
        new Svg(
            LEFT + Svg.DECADES * DECADE + 20,
            height,
            "Latencies measured by " + node + ": 1, 25, 50, 75 and 99 %");
    for (int i = 0; i <= Svg.DECADES; i++) {
      int x = LEFT + i * DECADE;
      svg.add("<path d='M%d %dV%d' stroke='#ccc'/>", x, TOP - 8, height - 16);
      svg.add("<text x='%d' y='%d' text-anchor='middle'>%s</text>", x, TOP - 14, Svg.SCALE[i]);
    }
    int y = TOP;
    for (Map.Entry<String, Box> entry : boxes.entrySet()) {
      row(svg, y, entry.getKey(), entry.getValue());
      y += ROW;
    }
    return svg.end();
  }

  private static void row(Svg svg, int y, String name, Box box) {
    int middle = y + ROW / 2;
    svg.add(
        "<text x='%d' y='%d' text-anchor='end'>%s</text>", LEFT - 8, middle + 4, Svg.escape(name));
    if (box.count() == 0) {
      return;
    }
    svg.add("<path d='M%.1f %dH%.1f' stroke='#345'/>", x(box.low()), middle, x(box.high()));
    svg.add(
        "<rect x='%.1f' y='%d' width='%.1f' height='14' fill='#9bd' stroke='#345'/>",
        x(box.quarter()), middle - 7, Math.max(1, x(box.threeQuarters()) - x(box.quarter())));
    svg.add("<path d='M%.1f %dv14' stroke='#123' stroke-width='2'/>", x(box.median()), middle - 7);
  }

  private static double x(long micros) {
    return LEFT + DECADE * Svg.decades((double) micros);
  }
}
