// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.examples.simulate.clocks.DriftExperiment.Finding;
import io.retroscope.examples.simulate.clocks.DriftMethod;
import io.retroscope.examples.simulate.clocks.DriftMetric;
import io.retroscope.examples.simulate.clocks.DriftSummary;
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
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The results of the experiment on drift: as a table, a file and a figure. */
final class DriftTables {
  private static final List<Integer> COURSE_SECONDS =
      List.of(1, 2, 3, 5, 10, 20, 30, 60, 120, 180, 299);
  private static final int SHOWN_BEFORE_STEP = 20;
  private static final int SHOWN_AFTER_STEP = 60;

  private static final String TABLE_ROW = "%-15s %7s  %-15s %9s %9s %7s %6s %8s %8s%n";

  private final List<Finding> findings;

  DriftTables(List<Finding> findings) {
    this.findings = findings;
  }

  /** Prints the main figures for users. */
  void print(PrintWriter out) {
    out.printf(
        TABLE_ROW,
        "delays",
        "step ms",
        "method",
        "error ms",
        "width ms",
        "sound",
        "found",
        "after s",
        "normal s");
    for (Finding finding : findings) {
      DriftSummary summary = finding.summary();
      boolean isTimeline = finding.method() == DriftMethod.TIMELINE;
      out.printf(
          TABLE_ROW,
          finding.where().model().delay().name(),
          CsvNumber.setting(finding.where().model().stepMillis()),
          finding.column(),
          text("%.4f", summary.mean(DriftMetric.MAE_MS)),
          text("%.4f", summary.mean(DriftMetric.WIDTH_MS)),
          text("%.5f", summary.mean(DriftMetric.SOUND)),
          isTimeline ? text("%.3f", summary.mean(DriftMetric.DETECT_FRAC)) : "",
          isTimeline ? text("%.2f", summary.detectionSeconds(0.5)) : "",
          isTimeline ? text("%.0f", summary.recoverySeconds(0.5)) : "");
    }
  }

  private static String text(String format, double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
  }

  /** Writes the table and the figure. */
  void write(Path folder) throws IOException {
    OutputFile.replaceText(folder.resolve("drift.csv"), this::writeCsv);
    OutputFile.replaceText(folder.resolve("drift.svg"), out -> SvgWriter.write(figure(), out));
  }

  private void writeCsv(Writer out) throws IOException {
    boolean isFirst = true;
    for (Finding finding : findings) {
      Map<String, String> row = row(finding);
      if (isFirst) {
        out.write(String.join(",", row.keySet()) + "\n");
        isFirst = false;
      }
      out.write(String.join(",", row.values()) + "\n");
    }
  }

  private static Map<String, String> row(Finding finding) {
    DriftSummary summary = finding.summary();
    Map<String, String> row = new LinkedHashMap<>();
    row.put("delay_variant", finding.where().model().delay().name());
    row.put("step_ms", CsvNumber.setting(finding.where().model().stepMillis()));
    row.put("method", finding.column());
    row.put("runs", Long.toString(summary.runs()));
    for (DriftMetric metric : DriftMetric.values()) {
      row.put(metric.column(), CsvNumber.measured(summary.mean(metric)));
      if (metric == DriftMetric.MAE_MS || metric == DriftMetric.WIDTH_MS) {
        row.put(metric.column() + "_se", CsvNumber.measured(summary.standardError(metric)));
      }
    }
    row.put("maxerr_ms", CsvNumber.measured(summary.mostMillis()));
    row.put("detect_median_s", CsvNumber.measured(summary.detectionSeconds(0.5)));
    row.put("detect_max_s", CsvNumber.measured(summary.detectionSeconds(1)));
    row.put("recovery_median_s", CsvNumber.measured(summary.recoverySeconds(0.5)));
    row.put("recovery_p90_s", CsvNumber.measured(summary.recoverySeconds(0.9)));
    for (int second : COURSE_SECONDS) {
      row.put("err_at_" + second + "s", CsvNumber.measured(summary.affectedMillis(second)));
    }
    return row;
  }

  private Figure figure() {
    List<String> groups = findings.stream().map(DriftTables::group).distinct().toList();
    List<Double> steps =
        findings.stream().map(f -> f.where().model().stepMillis()).distinct().toList();
    List<Panel> panels = new ArrayList<>();
    for (double step : steps) {
      panels.add(
          new Panel(
              step == 0 ? "No step" : "One clock jumps by " + CsvNumber.setting(step) + " ms at 0",
              Axis.linear("time since half time (s)"),
              Axis.logarithmic("mean |error| of that clock's pairs (ms)"),
              lines(step, groups)));
    }
    List<LegendEntry> legend = new ArrayList<>();
    for (String group : groups) {
      legend.add(new LegendEntry(group, new LineStyle(color(groups, group), Dash.SOLID)));
    }
    for (DriftMethod method : DriftMethod.values()) {
      legend.add(new LegendEntry(name(method), new LineStyle("#000000", dash(method))));
    }
    return new Figure(
        "Error over time, clocks that drift", Math.min(3, panels.size()), panels, legend);
  }

  private List<Series> lines(double step, List<String> groups) {
    List<Series> lines = new ArrayList<>();
    for (Finding finding : findings) {
      if (finding.where().model().stepMillis() == step) {
        lines.add(
            new Series(
                new LineStyle(color(groups, group(finding)), dash(finding.method())),
                IntStream.rangeClosed(-SHOWN_BEFORE_STEP, SHOWN_AFTER_STEP)
                    .mapToObj(s -> new Series.Point(s, finding.summary().affectedMillis(s)))
                    .toList()));
      }
    }
    return lines;
  }

  /** The property that differs between lines of one method in one panel. */
  private static String group(Finding finding) {
    long minimumMicros = finding.where().settings().minimumDelayMicros();
    return finding.where().model().delay().name()
        + ", rho "
        + CsvNumber.setting(finding.where().settings().rhoPpm())
        + (minimumMicros > 0 ? ", dmin " + CsvNumber.setting(minimumMicros / 1e3) : "");
  }

  private static String color(List<String> groups, String group) {
    return LineStyle.color(groups.indexOf(group));
  }

  private static String name(DriftMethod method) {
    return switch (method) {
      case MIDDLE -> "middle of the interval";
      case TIMELINE -> "one timeline (published)";
      case STAMPS -> "stamps alone";
    };
  }

  private static Dash dash(DriftMethod method) {
    return switch (method) {
      case MIDDLE -> Dash.DASHED;
      case TIMELINE -> Dash.SOLID;
      case STAMPS -> Dash.DOTTED;
    };
  }
}
