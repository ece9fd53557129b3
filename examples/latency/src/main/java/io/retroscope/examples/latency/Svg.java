// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.List;
import java.util.Locale;

/** A figure in SVG, line by line, with latencies on a logarithmic scale. Used by one thread. */
final class Svg {
  /** The labels of the scale; each step is a decade. */
  static final String[] SCALE = {"10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"};

  /** The number of decades on the scale. */
  static final int DECADES = SCALE.length - 1;

  private static final List<String> COLOURS =
      List.of("#1b6ca8", "#c0392b", "#27823a", "#8e44ad", "#b9770e", "#16808a", "#444", "#b0307c");

  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height, String title) {
    add(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
            + " font-size='12'>",
        width, height);
    add("<title>%s</title>", escape(title));
  }

  /** Adds a line. */
  void add(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** The whole figure. */
  String end() {
    return text + "</svg>\n";
  }

  /** The place of a latency on the scale, 0 to {@link #DECADES}. */
  static double decades(double micros) {
    return Math.max(0, Math.min(DECADES, Math.log10(Math.max(1, micros)) - 1));
  }

  /** The colour of a row. */
  static String colour(int row) {
    return COLOURS.get(row % COLOURS.size());
  }

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
