// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.latency.Shifts.Stretch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The typical latencies of nodes over their rounds, with shifts as shaded stretches, as SVG. */
final class ShiftFigure {
  private static final int LEFT = 60;
  private static final int TOP = 20;
  private static final int WIDTH = 600;
  private static final int DECADE = 50;
  private static final int NAMES = 220;
  private static final int ROW = 18;

  private final Svg svg;
  private final long lastPart;
  private final int bottom = TOP + Svg.DECADES * DECADE;

  private ShiftFigure(List<Shifts> nodes) {
    this.svg =
        new Svg(
            LEFT + WIDTH + NAMES,
            bottom + 40,
            "The fastest answers of each half second of rounds, and the shifts that a query found");
    this.lastPart =
        nodes.stream()
            .filter(shifts -> !shifts.typical().isEmpty())
            .mapToLong(shifts -> shifts.typical().lastKey())
            .max()
            .orElse(0);
  }

  static String svg(List<Shifts> nodes) {
    ShiftFigure figure = new ShiftFigure(nodes);
    figure.scale();
    for (int i = 0; i < nodes.size(); i++) {
      figure.node(nodes.get(i), i);
    }
    return figure.svg.end();
  }

  private void scale() {
    for (int i = 0; i <= Svg.DECADES; i++) {
      int y = bottom - i * DECADE;
      svg.add("<path d='M%d %dH%d' stroke='#ccc'/>", LEFT, y, LEFT + WIDTH);
      svg.add("<text x='%d' y='%d' text-anchor='end'>%s</text>", LEFT - 6, y + 4, Svg.SCALE[i]);
    }
    svg.add("<text x='%d' y='%d'>0 s</text>", LEFT, bottom + 20);
    svg.add(
        "<text x='%d' y='%d' text-anchor='end'>%.0f s</text>",
        LEFT + WIDTH, bottom + 20, Shifts.seconds(lastPart + 1));
  }

  private void node(Shifts shifts, int number) {
    String colour = Svg.colour(number);
    for (Stretch stretch : shifts.stretches()) {
      double from = x(stretch.firstPart());
      double to = x(stretch.lastPart() + 1);
      svg.add(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' opacity='.15'/>",
          from, TOP, to - from, bottom - TOP, colour);
    }
    List<String> points = new ArrayList<>();
    for (Map.Entry<Long, Double> part : shifts.typical().entrySet()) {
      points.add(
          String.format(
              Locale.ROOT,
              "%.1f,%.1f",
              x(part.getKey()),
              bottom - DECADE * Svg.decades(part.getValue())));
    }
    svg.add("<polyline points='%s' fill='none' stroke='%s'/>", String.join(" ", points), colour);
    String cycle =
        shifts.cycleSeconds().isPresent()
            ? String.format(Locale.ROOT, ", one each %.1f s", shifts.cycleSeconds().getAsDouble())
            : "";
    svg.add(
        "<text x='%d' y='%d' fill='%s'>%s: %d shifts%s</text>",
        LEFT + WIDTH + 10,
        TOP + 10 + number * ROW,
        colour,
        Svg.escape(shifts.node()),
        shifts.stretches().size(),
        cycle);
  }

  private double x(long part) {
    return LEFT + (double) WIDTH * part / (lastPart + 1);
  }
}
