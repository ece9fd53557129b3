// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.figure;

import java.io.IOException;
import java.io.Writer;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** A writer of figures as SVG. */
public final class SvgWriter {
  private static final int PANEL_WIDTH = 380;
  private static final int PANEL_HEIGHT = 290;
  private static final int LEFT = 58;
  private static final int RIGHT = 16;
  private static final int TOP = 30;
  private static final int BOTTOM = 48;
  private static final int TITLE_HEIGHT = 40;
  private static final int LEGEND_ROW_HEIGHT = 22;
  private static final int LEGEND_COLUMN_WIDTH = 225;
  private static final int MARGIN = 12;

  private final Writer out;

  private SvgWriter(Writer out) {
    this.out = out;
  }

  /**
   * Writes a figure as one SVG document.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Figure figure, Writer out) throws IOException {
    new SvgWriter(out).figure(figure);
  }

  private void figure(Figure figure) throws IOException {
    int rows = (figure.panels().size() + figure.columns() - 1) / figure.columns();
    int width = figure.columns() * PANEL_WIDTH + 2 * MARGIN;
    int perRow = (width - 2 * MARGIN) / LEGEND_COLUMN_WIDTH;
    int legendRows = (figure.legend().size() + perRow - 1) / perRow;
    int legendTop = TITLE_HEIGHT + rows * PANEL_HEIGHT;
    int height = legendTop + legendRows * LEGEND_ROW_HEIGHT + 2 * MARGIN;
    print(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        width, height, width, height);
    print("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
    text(width / 2.0, 24, "middle", 15, figure.title());
    for (int i = 0; i < figure.panels().size(); i++) {
      int left = MARGIN + i % figure.columns() * PANEL_WIDTH;
      panel(figure.panels().get(i), left, TITLE_HEIGHT + i / figure.columns() * PANEL_HEIGHT);
    }
    for (int i = 0; i < figure.legend().size(); i++) {
      Figure.LegendEntry entry = figure.legend().get(i);
      int row = i / perRow;
      double x = MARGIN + LEFT + 1.0 * LEGEND_COLUMN_WIDTH * (i % perRow);
      double y = legendTop + MARGIN + 1.0 * LEGEND_ROW_HEIGHT * row;
      line(x, y, x + 36, y, stroke(entry.style()));
      text(x + 44, y + 4, "start", 12, entry.text());
    }
    print("</svg>");
  }

  private void panel(Panel panel, int left, int top) throws IOException {
    Axis.Range x = panel.x().range(values(panel, true), false);
    Axis.Range y = panel.y().range(values(panel, false), true);
    PlotArea area = new PlotArea(x, y, left + LEFT, top + TOP);
    text(left + LEFT + area.width() / 2.0, top + 20.0, "middle", 13, panel.title());
    grid(area);
    print(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444444\"/>",
        area.left, area.top, area.width(), area.height());
    double middle = area.left + area.width() / 2.0;
    text(middle, area.top + area.height() + 38.0, "middle", 12, panel.x().label());
    sideText(left + 13.0, area.top + area.height() / 2.0, panel.y().label());
    for (Series series : panel.series()) {
      series(area, series);
    }
  }

  private static DoubleStream values(Panel panel, boolean x) {
    return panel.series().stream()
        .flatMap(series -> series.points().stream())
        .mapToDouble(point -> x ? point.x() : point.y());
  }

  private void grid(PlotArea area) throws IOException {
    double bottom = area.top + (double) area.height();
    double right = area.left + (double) area.width();
    for (double tick : area.x.ticks()) {
      double x = area.x(tick);
      line(x, area.top, x, bottom, "stroke=\"#e4e4e4\"");
      text(x, bottom + 17, "middle", 11, Axis.Range.text(tick));
    }
    for (double tick : area.y.ticks()) {
      double y = area.y(tick);
      line(area.left, y, right, y, "stroke=\"#e4e4e4\"");
      text(area.left - 6.0, y + 4, "end", 11, Axis.Range.text(tick));
    }
  }

  private void series(PlotArea area, Series series) throws IOException {
    StringBuilder path = new StringBuilder();
    boolean drawing = false;
    for (Series.Point point : series.points()) {
      double x = area.x(point.x());
      double y = area.y(point.y());
      boolean shown = Double.isFinite(x) && Double.isFinite(y);
      if (shown) {
        path.append(String.format(Locale.ROOT, drawing ? "L%.1f %.1f" : "M%.1f %.1f", x, y));
      }
      drawing = shown;
    }
    if (!path.isEmpty()) {
      print("<path d=\"%s\" fill=\"none\" %s/>", path, stroke(series.style()));
    }
  }

  private static String stroke(LineStyle style) {
    String pattern = style.dash().pattern();
    String dashes = pattern.isEmpty() ? "" : " stroke-dasharray=\"" + pattern + "\"";
    return "stroke=\"%s\" stroke-width=\"1.8\"%s".formatted(escape(style.color()), dashes);
  }

  private void line(double x1, double y1, double x2, double y2, String stroke) throws IOException {
    print("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", x1, y1, x2, y2, stroke);
  }

  private void text(double x, double y, String anchor, int size, String text) throws IOException {
    print(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>",
        x, y, anchor, size, escape(text));
  }

  private void sideText(double x, double y, String text) throws IOException {
    print(
        "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>",
        x, y, escape(text));
  }

  private void print(String format, Object... values) throws IOException {
    out.write(String.format(Locale.ROOT, format, values) + "\n");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** The position of a panel's values on the page. */
  private record PlotArea(Axis.Range x, Axis.Range y, int left, int top) {
    int width() {
      return PANEL_WIDTH - LEFT - RIGHT;
    }

    int height() {
      return PANEL_HEIGHT - TOP - BOTTOM;
    }

    double x(double value) {
      return left + x.place(value) * width();
    }

    double y(double value) {
      return top + (1 - y.place(value)) * height();
    }
  }
}
