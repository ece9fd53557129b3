// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.cli.trait.ProposedRules;
import io.retroscope.cli.trait.TraitReader;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that writes rules which recorded runs suggest. */
@Command(
    name = "propose",
    description = "Write the rules that recorded runs keep, as candidates for a file of rules.",
    footer = {
      "",
      "The rules are made from templates: at most one holder, ordered numbers, agreement within a",
      "time, answers within a time, a bounded lag and others. Each held in all runs, could have"
          + " been",
      "broken in some, and holds in the third of the runs from which no bound was taken.",
      "",
      "Examples:",
      "  retroscope propose night/passed",
      "  retroscope check proposed.rql --runs night/failed",
      "",
      "Exit codes: 0 the file is written, 1 no rule is proposed, 2 wrong usage or a file problem."
    })
public final class ProposeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "1..*",
      paramLabel = "RUNS",
      description =
          "Folders of runs that are right: each file of a folder is a run, and each folder in it.")
  private List<Path> runs = List.of();

  @Mixin private InputOptions input = new InputOptions();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Option(
      names = "--to",
      paramLabel = "FILE.rql",
      defaultValue = "proposed.rql",
      description = "The file, which must not exist (default: ${DEFAULT-VALUE}).")
  private Path to = Path.of("proposed.rql");

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (Files.exists(to)) {
      throw new CommandException(
          ExitCode.USAGE, to + " exists: name another file with --to, or remove it");
    }
    InputSettings settings = input.settings(node.node(), TextLogSettings.DEFAULT_LOG);
    ProposedRules rules =
        ProposedRules.of(
            RecordedRun.in(runs),
            new TraitReader(settings),
            run -> open(run, settings),
            RunPool.ofProcessors());
    PrintWriter out = spec.commandLine().getOut();
    if (rules.size() == 0) {
      out.println("no rule is proposed: nothing that the templates describe holds in all runs");
      return ExitCode.FAILED.number();
    }
    try {
      OutputFile.replaceText(to, file -> file.write(rules.text()));
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot write " + to + ": " + FileProblem.reason(e), e);
    }
    out.println("wrote " + rules.size() + (rules.size() == 1 ? " rule to " : " rules to ") + to);
    return ExitCode.OK.number();
  }

  private static RunsCheck.Opened open(RecordedRun run, InputSettings settings) throws IOException {
    PrintWriter noNotes = new PrintWriter(Writer.nullWriter());
    EventFileSet events = FileReading.of(run.files(), AlignmentSettings.DEFAULT, settings, noNotes);
    return new RunsCheck.Opened(events.session(QueryLimits.DEFAULT), "");
  }
}
