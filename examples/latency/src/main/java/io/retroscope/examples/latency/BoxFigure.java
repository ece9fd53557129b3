package io.retroscope.examples.latency;

import io.retroscope.examples.latency.Latencies.Box;
import java.util.Locale;
import java.util.Map;

/** Box plots on a logarithmic scale, from 10 microseconds to 10 seconds, as SVG. */
final class BoxFigure {
  private static final int LEFT = 130;
  private static final int ROW = 26;
  private static final int TOP = 40;
  private static final int DECADE = 100;
  private static final int DECADES = 6;

  private BoxFigure() {}

  static String svg(String node, Map<String, Box> boxes) {
    int width = LEFT + DECADES * DECADE + 20;
    int height = TOP + ROW * boxes.size() + 20;
    StringBuilder svg = new StringBuilder();
    line(
        svg,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
            + " font-size='12'>",
        width,
        height);
    line(svg, "<title>Latencies measured by %s: 1, 25, 50, 75 and 99 %%</title>", escape(node));
    String[] names = {"10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"};
    for (int i = 0; i <= DECADES; i++) {
      int x = LEFT + i * DECADE;
      line(svg, "<path d='M%d %dV%d' stroke='#ccc'/>", x, TOP - 8, height - 16);
      line(svg, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", x, TOP - 14, names[i]);
    }
    int y = TOP;
    for (Map.Entry<String, Box> entry : boxes.entrySet()) {
      row(svg, y, entry.getKey(), entry.getValue());
      y += ROW;
    }
    return svg.append("</svg>\n").toString();
  }

  private static void row(StringBuilder svg, int y, String name, Box box) {
    int middle = y + ROW / 2;
    line(
        svg, "<text x='%d' y='%d' text-anchor='end'>%s</text>", LEFT - 8, middle + 4, escape(name));
    if (box.count() == 0) {
      return;
    }
    line(svg, "<path d='M%.1f %dH%.1f' stroke='#345'/>", x(box.low()), middle, x(box.high()));
    line(
        svg,
        "<rect x='%.1f' y='%d' width='%.1f' height='14' fill='#9bd' stroke='#345'/>",
        x(box.quarter()),
        middle - 7,
        Math.max(1, x(box.threeQuarters()) - x(box.quarter())));
    line(
        svg, "<path d='M%.1f %dv14' stroke='#123' stroke-width='2'/>", x(box.median()), middle - 7);
  }

  private static double x(long micros) {
    return LEFT
        + DECADE * Math.max(0, Math.min(DECADES, Math.log10((double) Math.max(1, micros)) - 1));
  }

  private static void line(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
