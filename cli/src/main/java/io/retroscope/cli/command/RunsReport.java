// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.check.VerdictReport;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RuleOverRuns;
import io.retroscope.cli.runs.RunLabels;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.runs.RunResults;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.cli.runs.RunsJson;
import io.retroscope.cli.runs.RunsPage;
import io.retroscope.cli.runs.RunsSummary;
import io.retroscope.cli.runs.RunsText;
import io.retroscope.cli.trait.TraitReader;
import io.retroscope.cli.trait.ValueCoverage;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The check of many runs, and the forms in which it is written. Used by one thread. */
final class RunsReport {
  private final PrintWriter out;
  private final VerdictReport format;
  private final Optional<Path> xml;
  private final Optional<Path> html;
  private final int explainEpisodes;
  private final TraitReader reader;

  /**
   * Creates a report.
   *
   * @param xml the file of JUnit's XML; empty if none is wanted
   * @param html the page; empty if none is wanted
   * @param explainEpisodes the most episodes of a rule that are explained
   * @param reader reads the values of variables
   */
  RunsReport(
      PrintWriter out,
      VerdictReport format,
      Optional<Path> xml,
      Optional<Path> html,
      int explainEpisodes,
      TraitReader reader) {
    this.reader = reader;
    this.out = out;
    this.format = format;
    this.xml = xml;
    this.html = html;
    this.explainEpisodes = explainEpisodes;
  }

  /** Checks the runs and writes the report; returns the exit code of the verdicts. */
  ExitCode check(RuleSet rules, List<RecordedRun> runs, RunLabels labels, RunsCheck check)
      throws IOException, InterruptedException {
    RunsText text = new RunsText(out, runs, labels.names(), rules.rules());
    boolean isText = format == VerdictReport.TEXT;
    if (isText) {
      text.begin();
    }
    List<RunResults> results =
        check.check(runs, RunPool.ofProcessors(), isText ? text::run : run -> {});
    boolean isAnyRead = results.stream().anyMatch(RunResults::isRead);
    List<RuleOverRuns> combined = isAnyRead ? check.combine(results, explainEpisodes) : List.of();
    RunsSummary summary =
        new RunsSummary(
            rules.faults().stream().map(RuleCheck::of).toList(),
            labels.names(),
            results,
            combined,
            coverage(rules, results));
    write(summary, text);
    if (results.stream().anyMatch(run -> !run.isRead())) {
      out.flush();
      long count = results.stream().filter(run -> !run.isRead()).count();
      throw new CommandException(
          ExitCode.USAGE, "%,d of %,d runs could not be read".formatted(count, results.size()));
    }
    return CheckCommand.exitCode(summary.results());
  }

  /** The values that the variables that the rules name have anywhere in a run. */
  private List<String> coverage(RuleSet rules, List<RunResults> results)
      throws InterruptedException {
    Set<String> names =
        rules.rules().stream()
            .flatMap(rule -> RqlToken.of(rule.verdict("")).stream())
            .map(token -> token.text().replace("`", ""))
            .collect(Collectors.toSet());
    List<RecordedRun> read =
        results.stream().filter(RunResults::isRead).map(RunResults::run).toList();
    try {
      return ValueCoverage.lines(read, names, reader, RunPool.ofProcessors());
    } catch (CommandException e) {
      // The verdicts do not need it.
      return List.of("not known: " + e.getMessage());
    }
  }

  private void write(RunsSummary summary, RunsText text) throws IOException {
    switch (format) {
      case TEXT -> text.end(summary);
      case JSON -> RunsJson.write(summary, out);
      case JUNIT -> VerdictReport.JUNIT.write(name(summary), summary.results(), List.of(), out);
    }
    out.flush();
    try {
      if (xml.isPresent()) {
        OutputFile.replaceText(
            xml.get(),
            file -> VerdictReport.JUNIT.write(name(summary), summary.results(), List.of(), file));
      }
      if (html.isPresent()) {
        Path folder = Optional.ofNullable(html.get().toAbsolutePath().getParent()).orElseThrow();
        OutputFile.replaceText(html.get(), page -> RunsPage.write(summary, folder, page));
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "the report could not be written: " + FileProblem.reason(e), e);
    }
  }

  private static String name(RunsSummary summary) {
    return "%,d runs".formatted(summary.runs().size());
  }
}
