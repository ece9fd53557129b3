// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.picture;

import io.retroscope.dist.picture.Svg.Scheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The bars of one file of results: a group for each line, a bar for each column after the first.
 *
 * <p>Of the settings of {@link Results}, a chart has a {@code chart}, its title; a {@code unit};
 * and {@code scale: log} if equal ratios are equally long.
 */
final class BarChart {
  private static final int WIDTH = 860;
  private static final int LEFT = 330;
  private static final int RIGHT = 790;
  private static final int TOP = 96;
  private static final int BAR = 13;
  private static final int GAP = 12;
  private static final List<String> OPACITIES = List.of("1", "0.65", "0.35", "0.2");

  private final Map<String, String> settings;
  private final List<List<String>> lines;

  private BarChart(Results results) {
    this.settings = results.settings();
    this.lines = results.lines();
  }

  /**
   * Reads a file of results.
   *
   * @return empty if no chart shows it
   * @throws IOException if it cannot be read
   */
  static Optional<BarChart> of(Path file) throws IOException {
    Results results = Results.of(file);
    return results.settings().containsKey("chart")
        ? Optional.of(new BarChart(results))
        : Optional.empty();
  }

  /** Draws the chart. */
  String draw(Scheme scheme) {
    List<String> heading = lines.get(0);
    List<List<String>> groups = lines.subList(1, lines.size());
    int groupHeight = BAR * (heading.size() - 1) + GAP;
    Svg svg = new Svg(WIDTH, TOP + groupHeight * groups.size() + 6, scheme, settings.get("chart"));
    String ink = "fill=\"" + scheme.ink() + "\"";
    String faint = "fill=\"" + scheme.faint() + "\" font-size=\"12\"";
    svg.text(16, 28, "font-size=\"17\" font-weight=\"600\" " + ink, settings.get("chart"));
    svg.text(16, 50, faint, settings.get("unit"));
    for (int series = 1, x = 16; series < heading.size(); series++) {
      bar(svg, scheme, x, 64, 16, series);
      svg.text(x + 22, 75, faint, heading.get(series));
      x += 60 + 7 * heading.get(series).length();
    }
    for (int group = 0; group < groups.size(); group++) {
      List<String> line = groups.get(group);
      double top = TOP + (double) group * groupHeight;
      double middle = top + BAR * (heading.size() - 1) / 2.0 + 4;
      svg.text(LEFT - 10, middle, "text-anchor=\"end\" font-size=\"12\" " + ink, line.get(0));
      for (int series = 1; series < line.size(); series++) {
        double y = top + BAR * (series - 1.0);
        double length = length(Double.parseDouble(line.get(series)));
        bar(svg, scheme, LEFT, y, length, series);
        svg.text(LEFT + length + 6, y + BAR - 3, faint, line.get(series));
      }
    }
    return svg.end();
  }

  private static void bar(Svg svg, Scheme scheme, double x, double y, double length, int series) {
    svg.add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" opacity=\"%s\"/>",
        x, y, length, BAR - 2, scheme.event(), OPACITIES.get(series - 1));
  }

  private double length(double value) {
    double[] all =
        lines.subList(1, lines.size()).stream()
            .flatMap(line -> line.subList(1, line.size()).stream())
            .mapToDouble(Double::parseDouble)
            .toArray();
    double most = Arrays.stream(all).max().orElseThrow();
    double share = value / most;
    if ("log".equals(settings.get("scale"))) {
      double least = Arrays.stream(all).min().orElseThrow() / 2;
      share = Math.log(value / least) / Math.log(most / least);
    }
    return share * (RIGHT - LEFT);
  }

  /** The name of the picture's file. */
  static String fileName(Path results, Scheme scheme) {
    String name = results.getFileName().toString().replace(".csv", "");
    return String.format(Locale.ROOT, "%s-%s.svg", name, scheme.suffix());
  }
}
