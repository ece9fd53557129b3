// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.examples.simulate.clocks.AlignmentExperiment.Point;
import io.retroscope.examples.simulate.clocks.AlignmentMethod;
import io.retroscope.examples.simulate.clocks.Metric;
import io.retroscope.examples.simulate.clocks.RigidModel;
import io.retroscope.examples.simulate.figure.Axis;
import io.retroscope.examples.simulate.figure.Figure;
import io.retroscope.examples.simulate.figure.Figure.LegendEntry;
import io.retroscope.examples.simulate.figure.LineStyle;
import io.retroscope.examples.simulate.figure.LineStyle.Dash;
import io.retroscope.examples.simulate.figure.Panel;
import io.retroscope.examples.simulate.figure.Series;
import io.retroscope.examples.simulate.figure.SvgWriter;
import io.retroscope.rql.print.OutputFile;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The results of the experiment on alignment, as tables and figures. */
final class AlignmentTables {
  /** The methods in the figures; the tables contain all methods. */
  private static final List<MethodLook> SHOWN =
      List.of(
          new MethodLook(AlignmentMethod.ONE_HLC, "one-sided", Dash.SOLID),
          new MethodLook(AlignmentMethod.TWO_D0, "two-sided", Dash.DASHED),
          new MethodLook(AlignmentMethod.TWO_D0_LS, "two-sided, one timeline", Dash.DOTTED));

  private final Path folder;

  /** The line style of a method. */
  private record MethodLook(AlignmentMethod method, String name, Dash dash) {}

  /** A point's position on the figure's x axis, and the line to which it belongs. */
  private record Layout(
      Axis x, Axis ticks, ToDoubleFunction<Point> place, Function<Point, String> group) {}

  /** The content of one panel. */
  private record Chart(String title, Axis y, Metric metric) {}

  AlignmentTables(Path folder) {
    this.folder = folder;
  }

  /** Writes the first table and figure. */
  void byLength(List<Point> points) throws IOException {
    OutputFile.replaceText(
        folder.resolve("fig1.csv"),
        out ->
            table(
                out,
                points,
                "comm_prob,length",
                p -> decimal(p.model().communicationProbability()) + "," + p.length()));
    Layout layout =
        new Layout(
            Axis.logarithmic("length of the log (ticks)"),
            Axis.logarithmic("mean |error| (ticks)"),
            Point::length,
            p -> "c = " + decimal(p.model().communicationProbability()));
    figure(
        "fig1.svg",
        "Error of the offsets by the length of the log, " + title(points),
        points,
        layout);
  }

  /** Writes the second table and figure. */
  void byLatency(List<Point> points) throws IOException {
    OutputFile.replaceText(
        folder.resolve("fig2.csv"),
        out ->
            table(
                out,
                points,
                "delay_model,skew,latency",
                p -> "fixed," + p.model().skew() + "," + p.model().minDelay()));
    Layout layout =
        new Layout(
            Axis.linear("latency of every message (ticks)"),
            Axis.linear("mean |error| (ticks)"),
            p -> p.model().minDelay(),
            p -> "skew " + p.model().skew());
    figure("fig2.svg", "Error of the offsets by latency, " + title(points), points, layout);
  }

  private static String title(List<Point> points) {
    RigidModel model = points.get(0).model();
    return String.format(
        Locale.ROOT, "%d nodes, %,d runs per point", model.nodes(), points.get(0).summary().runs());
  }

  private static void table(
      Writer out, List<Point> points, String keyColumns, Function<Point, String> key)
      throws IOException {
    StringBuilder header = new StringBuilder(keyColumns).append(",method");
    for (Metric metric : Metric.values()) {
      header.append(',').append(metric.column());
      if (metric.hasError()) {
        header.append(',').append(metric.column()).append("_se");
      }
    }
    out.write(header.append(",runs\n").toString());
    for (Point point : points) {
      out.write(key.apply(point) + "," + row(point) + "\n");
    }
  }

  private static String row(Point point) {
    StringBuilder row = new StringBuilder(point.method().column());
    for (Metric metric : Metric.values()) {
      boolean applies = point.method().isTwoSided() || !metric.isOfIntervals();
      row.append(',').append(applies ? CsvNumber.measured(point.summary().mean(metric)) : "");
      if (metric.hasError()) {
        row.append(',').append(CsvNumber.measured(point.summary().standardError(metric)));
      }
    }
    return row.append(',').append(point.summary().runs()).toString();
  }

  private static String decimal(double value) {
    return Double.toString(value);
  }

  private void figure(String file, String title, List<Point> points, Layout layout)
      throws IOException {
    List<String> groups = points.stream().map(layout.group).distinct().toList();
    List<Panel> panels = charts(layout).stream().map(c -> panel(c, points, layout)).toList();
    List<LegendEntry> legend = new ArrayList<>();
    for (String group : groups) {
      legend.add(new LegendEntry(group, new LineStyle(color(groups, group), Dash.SOLID)));
    }
    for (MethodLook look : SHOWN) {
      legend.add(new LegendEntry(look.name, new LineStyle("#000000", look.dash)));
    }
    Figure figure = new Figure(title, 3, panels, legend);
    OutputFile.replaceText(folder.resolve(file), out -> SvgWriter.write(figure, out));
  }

  private static List<Chart> charts(Layout layout) {
    Axis offset = Axis.linear("mean |1 - estimate / offset|");
    return List.of(
        new Chart("Node 0 and each other node", offset, Metric.ERR_DRIVER_ABS),
        new Chart(
            "All pairs, signed (as published)",
            Axis.linear("mean of 1 - estimate / offset"),
            Metric.ERR_PAIRS_SIGNED),
        new Chart(
            "The pair with the full skew",
            Axis.linear("mean |1 - estimate / skew|"),
            Metric.ERR_EXTREME_ABS),
        new Chart("All pairs", offset, Metric.ERR_PAIRS_ABS),
        new Chart("All pairs, in ticks", layout.ticks, Metric.MAE_TICKS),
        new Chart("Closed intervals", Axis.linear("mean width (ticks)"), Metric.WIDTH));
  }

  private static Panel panel(Chart chart, List<Point> points, Layout layout) {
    List<String> groups = points.stream().map(layout.group).distinct().toList();
    List<Series> lines = new ArrayList<>();
    for (String group : groups) {
      for (MethodLook look : SHOWN) {
        if (look.method.isTwoSided() || !chart.metric.isOfIntervals()) {
          lines.add(
              new Series(
                  new LineStyle(color(groups, group), look.dash),
                  points.stream()
                      .filter(p -> p.method() == look.method && layout.group.apply(p).equals(group))
                      .map(
                          p ->
                              new Series.Point(
                                  layout.place.applyAsDouble(p), p.summary().mean(chart.metric)))
                      .toList()));
        }
      }
    }
    return new Panel(chart.title, layout.x, chart.y, lines);
  }

  private static String color(List<String> groups, String group) {
    return LineStyle.color(groups.indexOf(group));
  }
}
