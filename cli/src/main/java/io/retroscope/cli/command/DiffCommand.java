// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.compare.ComparisonReport;
import io.retroscope.cli.compare.SystemRun;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.trait.FailureReport;
import io.retroscope.cli.trait.TraitReader;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that finds where two runs of one system diverge. */
@Command(
    name = "diff",
    description =
        "Find where two runs of one system first differ, such as a passing and a failing test.",
    footer = {
      "",
      "The steps of each node are compared in their order, nodes are matched by name. A step is a",
      "change of variables, a message that is sent or received (its other node, not its number), a",
      "start or a stop; log lines and times are not compared.",
      "",
      "Over many runs, predicates are made of the variables, such as a value, a bound, an order or"
          + " a",
      "duration, and those are listed that distinguish the failing runs beyond chance.",
      "",
      "Examples:",
      "  retroscope diff passing.ndjson failing.ndjson",
      "  retroscope diff --failing night/failed --passing night/passed",
      "  retroscope diff passing.ndjson failing.ndjson --on raft.term,raft.role --format json",
      "",
      "Exit codes: 0 equal, or nothing distinguishes the failing runs; 1 different, or something",
      "does; 2 wrong usage or a file that cannot be read; 5 equal as far as the events are known,",
      "but some are lost or there are none, or there are too few runs to distinguish."
    })
public final class DiffCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FIRST",
      description = "The events of a run: a file of any format, or a folder of files.")
  private Path first = Path.of("");

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SECOND",
      description = "Those of another run.")
  private Path second = Path.of("");

  @Option(
      names = "--failing",
      arity = "1..*",
      paramLabel = "FOLDER",
      description =
          "Find what these runs have in common, and those of --passing have not: each file of a"
              + " folder is a run, and each folder in it.")
  private List<Path> failing = List.of();

  @Option(
      names = "--passing",
      arity = "1..*",
      paramLabel = "FOLDER",
      description = "With --failing: the other runs.")
  private List<Path> passing = List.of();

  @Option(
      names = "--on",
      split = ",",
      paramLabel = "LOG.VARIABLE",
      description = "Compare only these variables, and no messages; may be repeated.")
  private Set<String> variables = Set.of();

  @Mixin private InputOptions input = new InputOptions();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private ReportFormat format = ReportFormat.TEXT;

  /** The formats of the report. */
  private enum ReportFormat {
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean isOfMany = !failing.isEmpty() || !passing.isEmpty();
    boolean isOfTwo = !first.toString().isEmpty() && !second.toString().isEmpty();
    if (isOfMany == isOfTwo || (isOfMany && (failing.isEmpty() || passing.isEmpty()))) {
      throw new CommandException(
          ExitCode.USAGE, "name two runs, or --failing FOLDER and --passing FOLDER");
    }
    if (isOfMany && !variables.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "--on is for two runs");
    }
    return isOfMany ? compareMany() : compareTwo();
  }

  private int compareMany() throws IOException, InterruptedException {
    TraitReader reader = new TraitReader(input.settings(node.node(), TextLogSettings.DEFAULT_LOG));
    FailureReport report =
        FailureReport.of(
            RecordedRun.in(failing), RecordedRun.in(passing), reader, RunPool.ofProcessors());
    PrintWriter out = spec.commandLine().getOut();
    switch (format) {
      case TEXT -> report.printText(out);
      case JSON -> report.printJson(out);
    }
    if (report.distinguishes()) {
      return ExitCode.FAILED.number();
    }
    return (report.isConclusive() ? ExitCode.OK : ExitCode.INCONCLUSIVE).number();
  }

  private int compareTwo() {
    ComparisonReport report = ComparisonReport.of(run(first), run(second));
    PrintWriter out = spec.commandLine().getOut();
    switch (format) {
      case TEXT -> report.printText(out);
      case JSON -> report.printJson(out);
    }
    if (!report.areEqual()) {
      return ExitCode.FAILED.number();
    }
    return (report.isConclusive() ? ExitCode.OK : ExitCode.INCONCLUSIVE).number();
  }

  private SystemRun run(Path events) {
    SystemRun run = new SystemRun(variables);
    try {
      FileReading.of(
              List.of(events),
              AlignmentSettings.DEFAULT,
              input.settings(node.node(), TextLogSettings.DEFAULT_LOG),
              spec.commandLine().getErr())
          .readAll(run);
    } catch (EventFileException e) {
      throw new CommandException(ExitCode.USAGE, e.reason(), e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot read " + events + ": " + FileProblem.reason(e), e);
    }
    return run;
  }
}
