// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.RuleResult;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The verdicts on many runs as an HTML file with a row for each run; it makes no request. */
public final class RunsPage {
  private static final String STYLE =
      """
      body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#1c2530;background:#fff}
      table{border-collapse:collapse}th,td{padding:.25rem .75rem;border:1px solid #c8d0da}
      th{position:sticky;top:0;background:#eef2f6;text-align:left}
      .broken,.wrong{background:#f9d4d2}.holds{background:#d9f0df}
      .vacuous,.not-yet,.inconclusive,.not-read{background:#fbeecb}
      pre{white-space:pre-wrap}
      @media(prefers-color-scheme:dark){body{color:#e6ebf1;background:#151a20}
      th{background:#222a33}.broken,.wrong{background:#6b2522}.holds{background:#1e4a2c}
      .vacuous,.not-yet,.inconclusive,.not-read{background:#5a4713}}
      """;

  private RunsPage() {}

  /**
   * Writes the page.
   *
   * @param folder of the page, from which it links the pages beside the runs
   */
  public static void write(RunsSummary summary, Path folder, Writer out) throws IOException {
    out.write("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    out.write("<meta name=\"viewport\" content=\"width=device-width\">");
    out.write(
        "<title>%,d runs</title><style>%s</style></head><body>\n"
            .formatted(summary.runs().size(), STYLE));
    out.write(
        "<h1>%,d runs</h1>\n<table><tr><th>rule</th><th>verdict</th><th>runs</th>"
            .formatted(summary.runs().size()));
    out.write("<th>could have been broken</th></tr>\n");
    for (RuleOverRuns rule : summary.rules()) {
      rule(rule, out);
    }
    out.write("</table>\n<h2>Runs</h2>\n<table><tr><th>run</th>");
    for (String label : summary.labels()) {
      out.write("<th>" + escaped(label) + "</th>");
    }
    for (RuleOverRuns rule : summary.rules()) {
      out.write("<th>" + escaped(rule.result().rule()) + "</th>");
    }
    out.write("</tr>\n");
    for (RunResults run : summary.runs()) {
      run(run, summary.rules().size(), folder, out);
    }
    out.write("</table>\n");
    list("Slowest runs", summary.slowest(), out);
    list("Most uncertain", summary.mostUncertain(), out);
    list("Values at one cut of some run, over its whole length", summary.coverage(), out);
    out.write("</body></html>\n");
  }

  private static void rule(RuleOverRuns rule, Writer out) throws IOException {
    RuleResult result = rule.result();
    out.write("<tr><td>" + escaped(result.rule()) + "<br><small>");
    out.write(escaped(result.description()) + "</small></td>");
    cell(result.outcome().word(), result.reason(), out);
    out.write("<td>" + escaped(RunsSummary.counts(rule)) + "</td><td>");
    for (Chance chance : result.chances()) {
      out.write(escaped(chance.text()) + "<br>");
    }
    out.write("</td></tr>\n");
  }

  private static void run(RunResults run, int rules, Path folder, Writer out) throws IOException {
    out.write("<tr><td>" + linked(run.run(), folder) + "</td>");
    for (String label : run.labels()) {
      out.write("<td>" + escaped(label) + "</td>");
    }
    if (run.isRead()) {
      for (RuleResult result : run.results()) {
        cell(result.outcome().word(), result.reason(), out);
      }
    } else {
      out.write("<td class=\"not-read\" colspan=\"" + Math.max(1, rules) + "\">not read: ");
      out.write(escaped(run.problem()) + "</td>");
    }
    out.write("</tr>\n");
  }

  /** The name of a run, as a link if a page of its events is beside them. */
  private static String linked(RecordedRun run, Path folder) {
    String file = String.valueOf(run.path().getFileName()).replaceFirst("\\.[^/]*$", ".html");
    Path plain = run.path().resolveSibling(file);
    Path page = run.path().resolveSibling(run.name().replaceFirst("^.*/", "") + ".html");
    Path found = Files.isRegularFile(page) ? page : plain;
    if (!Files.isRegularFile(found)) {
      return escaped(run.name());
    }
    Path relative = folder.toAbsolutePath().relativize(found.toAbsolutePath());
    return "<a href=\"%s\">%s</a>"
        .formatted(escaped(relative.toString().replace('\\', '/')), escaped(run.name()));
  }

  private static void cell(String word, String reason, Writer out) throws IOException {
    out.write(
        "<td class=\"%s\" title=\"%s\">%s</td>"
            .formatted(word.replace(' ', '-'), escaped(reason), escaped(word)));
  }

  private static void list(String heading, List<String> lines, Writer out) throws IOException {
    if (!lines.isEmpty()) {
      out.write("<h2>" + heading + "</h2>\n<ul>");
      for (String line : lines) {
        out.write("<li>" + escaped(line) + "</li>");
      }
      out.write("</ul>\n");
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
