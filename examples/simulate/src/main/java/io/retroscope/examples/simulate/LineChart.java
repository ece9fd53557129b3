// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.examples.simulate.figure.Axis;
import io.retroscope.examples.simulate.figure.Figure;
import io.retroscope.examples.simulate.figure.Figure.LegendEntry;
import io.retroscope.examples.simulate.figure.LineStyle;
import io.retroscope.examples.simulate.figure.LineStyle.Dash;
import io.retroscope.examples.simulate.figure.Panel;
import io.retroscope.examples.simulate.figure.Series;
import io.retroscope.examples.simulate.figure.Series.Point;
import io.retroscope.examples.simulate.figure.SvgWriter;
import io.retroscope.rql.print.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/** Lines by name that become a table and a figure. Not thread-safe. */
final class LineChart {
  private final String title;
  private final List<Chart> charts = new ArrayList<>();
  private final List<String> names = new ArrayList<>();

  /** A panel and its lines. */
  private record Chart(String title, Axis x, Axis y, List<Line> lines) {}

  private record Line(String name, List<Point> points) {}

  LineChart(String title) {
    this.title = title;
  }

  /** Begins a panel; the lines that are added next belong to it. */
  LineChart panel(String panelTitle, Axis x, Axis y) {
    charts.add(new Chart(panelTitle, x, y, new ArrayList<>()));
    return this;
  }

  /** Adds a line to the last panel. Lines of one name have one colour in all panels. */
  LineChart line(String name, List<Point> points) {
    if (name.contains(",")) {
      throw new IllegalArgumentException("a comma in a table's cell: " + name);
    }
    if (!names.contains(name)) {
      names.add(name);
    }
    charts.get(charts.size() - 1).lines.add(new Line(name, List.copyOf(points)));
    return this;
  }

  /** Adds a line of a function. */
  LineChart line(String name, DoubleStream xs, DoubleUnaryOperator function) {
    return line(name, xs.mapToObj(x -> new Point(x, function.applyAsDouble(x))).toList());
  }

  /** Writes {@code NAME.csv} and {@code NAME.svg}. */
  void write(Path folder, String name) throws IOException {
    OutputFile.replaceText(
        folder.resolve(name + ".csv"),
        out -> {
          out.write("panel,line,x,y\n");
          for (Chart chart : charts) {
            for (Line line : chart.lines) {
              for (Point point : line.points) {
                out.write(
                    "%s,%s,%s,%s%n"
                        .formatted(
                            chart.title,
                            line.name,
                            CsvNumber.setting(point.x()),
                            CsvNumber.measured(point.y())));
              }
            }
          }
        });
    OutputFile.replaceText(folder.resolve(name + ".svg"), out -> SvgWriter.write(figure(), out));
  }

  private Figure figure() {
    List<Panel> panels =
        charts.stream()
            .map(
                chart ->
                    new Panel(
                        chart.title,
                        chart.x,
                        chart.y,
                        chart.lines.stream()
                            .map(line -> new Series(style(line.name), line.points))
                            .toList()))
            .toList();
    List<LegendEntry> legend =
        names.stream().map(name -> new LegendEntry(name, style(name))).toList();
    return new Figure(title, Math.min(3, panels.size()), panels, legend);
  }

  private LineStyle style(String name) {
    int number = names.indexOf(name);
    return new LineStyle(LineStyle.color(number), number < 7 ? Dash.SOLID : Dash.DASHED);
  }
}
