// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.CheckedRange;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.RuleFiles;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that writes an HTML file about rules, their episodes and the events around them. */
@Command(
    name = "report",
    description =
        "Write one HTML file about rules: verdicts, explanations, and a timeline with a movable cut.",
    footer = {
      "",
      "The file opens in any browser, makes no request, and can be sent by mail. The rules are",
      "those of check.",
      "",
      "Examples:",
      "  retroscope report rules.rql events.ndjson --to report.html",
      "  retroscope report rules.rql --server http://127.0.0.1:7340 --last 1h",
      "",
      "Exit codes: 0 the file is written, whatever the verdicts are, 2 wrong usage or a file",
      "problem, 4 connection lost."
    })
public final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RuleFiles files = new RuleFiles();

  @Mixin private QueryTarget target = new QueryTarget();

  @Mixin private CheckedRange range = new CheckedRange();

  @Option(
      names = "--to",
      paramLabel = "FILE.html",
      defaultValue = "report.html",
      description = "The file (default: ${DEFAULT-VALUE}).")
  private Path to = Path.of("report.html");

  @Override
  public Integer call() {
    RuleSet rules = files.rules();
    try (Session session = target.openToCheck(files.events(), spec.commandLine().getErr())) {
      try {
        String onTime = range.onTime(session);
        List<RuleResult> results = new ArrayList<>();
        rules.faults().stream().map(RuleCheck::of).forEach(results::add);
        results.addAll(
            new RuleCheck(session, onTime, System::nanoTime).check(rules.rules()).results());
        new ReportFile(to, session, target.server(files.events()))
            .write(rules.rules(), results, onTime);
      } catch (ProblemException e) {
        throw QueryTarget.refused(session, e);
      } catch (IOException e) {
        throw new CommandException(ExitCode.CONNECTION_LOST, String.valueOf(e.getMessage()), e);
      }
    }
    spec.commandLine().getOut().println("wrote " + to);
    return ExitCode.OK.number();
  }
}
