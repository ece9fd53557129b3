// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.check.TextVerdicts;
import io.retroscope.cli.check.VerdictReport;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.option.CheckedRange;
import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.RuleFiles;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunLabels;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.cli.trait.TraitReader;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that decides whether rules hold. */
@Command(
    name = "check",
    description = "Decide whether the rules of a file hold: over files of events, or on a server.",
    footer = {
      "",
      "A file of rules has statements such as",
      "  -- At most one node leads.",
      "  CREATE RULE one_leader AS (NEVER COUNT n IN NODES : (role@n = 'leader') >= 2 FROM raft);",
      "",
      "Examples:",
      "  retroscope check rules.rql events.ndjson",
      "  retroscope check rules.rql --server http://127.0.0.1:7340 --last 1h --report check.xml",
      "  retroscope check rules.rql --live --for 60s",
      "  retroscope check rules.rql --runs target/retroscope/night --html night.html",
      "",
      "Exit codes: 0 all rules hold, 1 a rule is broken, 2 wrong usage or a file problem, 3 a rule",
      "has an error, 4 connection lost, 5 inconclusive: something is missing that could break a",
      "rule, SOMETIMES is not fulfilled yet, or with --runs nothing could break a rule, 6 an",
      "internal error. Of several, the first of 6, 2, 4, 3, 1, 5 is returned."
    })
public final class CheckCommand implements Callable<Integer> {
  /** Follows the name of the events in a report. */
  private static final String ASSUMED = " (--assume-complete)";

  private static final PrintWriter NO_NOTES = new PrintWriter(Writer.nullWriter());

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RuleFiles files = new RuleFiles();

  @Mixin private QueryTarget target = new QueryTarget();

  @Mixin private CheckedRange range = new CheckedRange();

  @Option(names = "--live", description = "Check what happens from now on; needs --for.")
  private boolean live;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "With --live: for this long, or until a rule is broken.")
  private Optional<Duration> duration = Optional.empty();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private VerdictReport format = VerdictReport.TEXT;

  @Option(
      names = "--report",
      paramLabel = "FILE.xml",
      description = "Also write the XML that JUnit's runners write.")
  private Optional<Path> report = Optional.empty();

  @Option(
      names = "--assume-complete",
      description =
          "Take silent nodes and missing blocks to hold nothing, instead of answering inconclusive;"
              + " the report says so.")
  private boolean assumeComplete;

  @Option(
      names = "--explain",
      description =
          "Also write what was read, as EXPLAIN ANALYZE does: rules over the same variables share a"
              + " walk. For files.")
  private boolean explain;

  @Option(
      names = "--html",
      paramLabel = "FILE.html",
      description = "Also write the file that the command report writes.")
  private Optional<Path> html = Optional.empty();

  @Option(
      names = "--explain-episodes",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Explain the first N episodes of each broken rule; 0 for none (default:"
              + " ${DEFAULT-VALUE}).")
  private int explainEpisodes = 1;

  @Option(
      names = "--runs",
      arity = "1..*",
      paramLabel = "FOLDER",
      description =
          "Check many runs of one system, each with a history of its own: each file of a folder is"
              + " a run, and each folder in it. Writes a table of runs and rules, how often each"
              + " rule could have been broken, and a verdict on each rule over all runs.")
  private List<Path> runs = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=REPORT.xml",
      description =
          "With --runs: show whether the test of a run passed, from a report of JUnit; may be"
              + " repeated.")
  private List<String> labels = List.of();

  @Override
  public Integer call() {
    return decided(runs.isEmpty() ? this::check : this::checkRuns);
  }

  private ExitCode checkRuns() throws IOException, InterruptedException {
    if (live || explain || target.isGiven() || !files.events().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          "--runs excludes other events, --server, --file, --live and --explain: each run is read"
              + " for itself");
    }
    RunsReport runsReport =
        new RunsReport(
            spec.commandLine().getOut(),
            format,
            report,
            html,
            explainEpisodes,
            new TraitReader(target.input()));
    RunsCheck.Opening opening =
        run -> {
          Session session = target.openToCheck(run.files(), NO_NOTES, assumeComplete);
          return new RunsCheck.Opened(session, range.onTime(session));
        };
    RuleSet rules = files.rules();
    RunLabels ofRuns = RunLabels.read(labels);
    RunsCheck check = new RunsCheck(rules.rules(), ofRuns, opening, System::nanoTime);
    return runsReport.check(rules, RecordedRun.in(runs), ofRuns, check);
  }

  /**
   * Returns the exit code of a check. Every other end of it has a code that says nothing about the
   * rules.
   */
  static int decided(Callable<ExitCode> check) {
    try {
      return check.call().number();
    } catch (CommandException e) {
      throw e;
    } catch (Exception | Error e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CommandException(
          ExitCode.INTERNAL, "internal error, the rules are not decided: " + e, e);
    }
  }

  private ExitCode check() throws IOException, InterruptedException {
    if (live != duration.isPresent()) {
      throw new CommandException(ExitCode.USAGE, "--live and --for DURATION need each other");
    }
    if (live && (range.given() || !files.events().isEmpty())) {
      throw new CommandException(
          ExitCode.USAGE, "--live is for a server, from now on: leave out files and the range");
    }
    RuleSet rules = files.rules();
    PrintWriter out = spec.commandLine().getOut();
    List<RuleResult> results = new ArrayList<>();
    List<String> cost = new ArrayList<>();
    PrintWriter err = spec.commandLine().getErr();
    try (Session session = target.openToCheck(files.events(), err, assumeComplete)) {
      try {
        cost.addAll(evaluate(session, rules, out, results));
        if (html.isPresent()) {
          new ReportFile(html.get(), session, target.server(files.events()))
              .write(rules.rules(), results, live ? "" : range.onTime(session));
        }
      } catch (ProblemException e) {
        throw QueryTarget.refused(session, e);
      } catch (IOException e) {
        throw new CommandException(ExitCode.CONNECTION_LOST, String.valueOf(e.getMessage()), e);
      }
      write(
          session.target() + (assumeComplete ? ASSUMED : ""),
          results,
          explain ? cost : List.of(),
          out);
    }
    if (out.checkError()) {
      throw new CommandException(ExitCode.USAGE, "the output could not be written completely");
    }
    return exitCode(results);
  }

  /** Adds the results; returns the cost. */
  private List<String> evaluate(
      Session session, RuleSet rules, PrintWriter out, List<RuleResult> results)
      throws IOException, InterruptedException {
    // The faults of the files are known before anything is read.
    Consumer<RuleResult> shown =
        format == VerdictReport.TEXT ? new TextVerdicts(out)::print : result -> {};
    rules.faults().stream().map(RuleCheck::of).forEach(results::add);
    results.forEach(shown);
    RuleCheck.Verdicts verdicts =
        live ? follow(session, rules.rules()) : once(session, rules.rules(), range.onTime(session));
    EpisodeExplanations explanations =
        new EpisodeExplanations(session, live ? "" : range.onTime(session));
    for (int i = 0; i < verdicts.results().size(); i++) {
      RuleResult result =
          explanations.explained(rules.rules().get(i), verdicts.results().get(i), explainEpisodes);
      shown.accept(result);
      results.add(result);
    }
    return verdicts.cost();
  }

  private void write(String name, List<RuleResult> results, List<String> cost, PrintWriter out)
      throws IOException {
    if (format == VerdictReport.TEXT) {
      new TextVerdicts(out).end(results, cost);
      if (assumeComplete) {
        out.println("assumed complete: silent nodes and missing blocks are taken to hold nothing");
      }
    } else {
      format.write(name, results, cost, out);
    }
    if (report.isPresent()) {
      try {
        OutputFile.replaceText(
            report.get(), xml -> VerdictReport.JUNIT.write(name, results, cost, xml));
      } catch (IOException e) {
        // The exit code of other failures would say that a rule is broken.
        throw new CommandException(
            ExitCode.USAGE,
            "cannot write " + report.get() + ": " + FileProblem.reason(first(e)),
            e);
      }
    }
  }

  /** The failure that caused another one; the writers of files and of XML add theirs. */
  private static Exception first(IOException e) {
    Exception first = e;
    while (first.getCause() instanceof Exception cause) {
      first = cause;
    }
    return first;
  }

  private static RuleCheck.Verdicts once(Session session, List<Rule> rules, String onTime)
      throws IOException {
    return new RuleCheck(session, onTime, System::nanoTime).check(rules);
  }

  /** Evaluates what has happened since the start, again and again, until a rule is broken. */
  private RuleCheck.Verdicts follow(Session session, List<Rule> rules)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + duration.orElseThrow().toNanos();
    Optional<Long> start = session.catalog().extent().map(HlcRange::to);
    while (true) {
      boolean last = System.nanoTime() >= end;
      start = start.isPresent() ? start : session.catalog().extent().map(HlcRange::from);
      String onTime = start.map(from -> CheckedRange.clause(from, Optional.empty())).orElse("");
      RuleCheck.Verdicts verdicts = once(session, rules, onTime);
      if (last || has(verdicts.results(), Outcome.BROKEN)) {
        return verdicts;
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    }
  }

  private static boolean has(List<RuleResult> results, Outcome outcome) {
    return results.stream().anyMatch(result -> result.outcome() == outcome);
  }

  /** The exit code of verdicts. */
  static ExitCode exitCode(List<RuleResult> results) {
    if (has(results, Outcome.WRONG)) {
      return ExitCode.STATEMENT_FAILED;
    }
    if (has(results, Outcome.BROKEN)) {
      return ExitCode.FAILED;
    }
    boolean isOpen = results.stream().anyMatch(result -> result.outcome().isOpen());
    return isOpen ? ExitCode.INCONCLUSIVE : ExitCode.OK;
  }
}
