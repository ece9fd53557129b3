// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.cli.check.TextVerdicts;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The verdicts on many runs for reading: a line for each run as it is checked, then the rules. */
public final class RunsText {
  private static final int MIN_WIDTH = 12;

  private final PrintWriter out;
  private final List<String> headings;
  private final int nameWidth;

  /** Creates a printer; the caller closes the writer. */
  public RunsText(PrintWriter out, List<RecordedRun> runs, List<String> labels, List<Rule> rules) {
    this.out = out;
    this.headings = new ArrayList<>(labels);
    rules.forEach(rule -> headings.add(rule.name()));
    this.nameWidth = runs.stream().mapToInt(run -> name(run).length()).max().orElse(0);
  }

  /** Prints the heading of the table. */
  public void begin() {
    List<String> cells = new ArrayList<>(headings);
    out.println(line("run", cells));
    out.println(
        line("-".repeat(nameWidth), cells.stream().map(c -> "-".repeat(c.length())).toList()));
  }

  /** Prints the row of a run. */
  public void run(RunResults run) {
    List<String> cells = new ArrayList<>(run.labels());
    if (run.isRead()) {
      run.results().forEach(result -> cells.add(result.outcome().word()));
      out.println(line(name(run.run()), cells));
    } else {
      out.println(name(run.run()) + "  not read: " + ValueText.printable(run.problem()));
    }
    out.flush();
  }

  private static String name(RecordedRun run) {
    return ValueText.printable(run.name());
  }

  private String line(String name, List<String> cells) {
    StringBuilder line = new StringBuilder(padded(name, nameWidth));
    for (int i = 0; i < cells.size(); i++) {
      line.append("  ").append(padded(cells.get(i), Math.max(MIN_WIDTH, headings.get(i).length())));
    }
    return line.toString().stripTrailing();
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  /** Prints the verdicts over all runs. */
  public void end(RunsSummary summary) {
    out.println();
    TextVerdicts verdicts = new TextVerdicts(out);
    summary.faults().forEach(verdicts::print);
    for (RuleOverRuns rule : summary.rules()) {
      RuleResult result = rule.result();
      verdicts.print(result);
      detail("runs: " + RunsSummary.counts(rule));
      if (rule.isDecidedBySome()) {
        detail("in " + named(rule));
      }
      result.chances().stream().map(Chance::text).forEach(this::detail);
    }
    list("slowest runs", summary.slowest());
    list("most uncertain", summary.mostUncertain());
    list("values at one cut of some run, over its whole length", summary.coverage());
    out.printf(
        Locale.ROOT,
        "%,d %s%n",
        summary.runs().size(),
        summary.runs().size() == 1 ? "run" : "runs");
    verdicts.end(summary.results(), List.of());
  }

  private static String named(RuleOverRuns rule) {
    int all = rule.counts().values().stream().mapToInt(Integer::intValue).max().orElse(0);
    boolean isCut =
        rule.decisive().size() == RuleOverRuns.MAX_NAMED && all > RuleOverRuns.MAX_NAMED;
    return String.join(", ", rule.decisive()) + (isCut ? ", ..." : "");
  }

  private void detail(String text) {
    out.println("              " + ValueText.printable(text));
  }

  private void list(String heading, List<String> lines) {
    if (!lines.isEmpty()) {
      out.println(heading + ":");
      lines.forEach(line -> out.println("  " + ValueText.printable(line)));
    }
  }
}
