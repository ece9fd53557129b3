// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.CheckedRange;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.RuleFiles;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleFault;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that lists when rules were broken. */
@Command(
    name = "backtest",
    description = "List each stretch of the past in which a rule was broken.",
    footer = {
      "",
      "The rules are those of check. An episode's name is the same wherever its rule is evaluated",
      "over the same events: rule@stamp, or rule[item]@stamp with FOR EACH.",
      "",
      "Examples:",
      "  retroscope backtest rules.rql events.ndjson",
      "  retroscope backtest rules.rql --server http://127.0.0.1:7340 --last 1d --format csv",
      "",
      "Exit codes: 0 ok, 2 wrong usage or a missing file, 3 a rule has an error, 4 connection lost."
    })
public final class BacktestCommand implements Callable<Integer> {
  private static final int CHART_WIDTH = 80;

  private static final List<Column> COLUMNS =
      List.of(
          new Column("episode", false),
          new Column("time", false),
          new Column("uncertaintyMicros", false),
          new Column("durationMicros", false),
          new Column("open", false),
          new Column("cut", false));

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RuleFiles files = new RuleFiles();

  @Mixin private QueryTarget target = new QueryTarget();

  @Mixin private CheckedRange range = new CheckedRange();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "aligned",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.ALIGNED;

  @Option(
      names = "--html",
      paramLabel = "FILE.html",
      description = "Also write the file that the command report writes.")
  private Optional<Path> html = Optional.empty();

  @Override
  public Integer call() {
    RuleSet rules = files.rules();
    PrintWriter err = spec.commandLine().getErr();
    boolean wrong = !rules.faults().isEmpty();
    for (RuleFault fault : rules.faults()) {
      report(err, fault.place(), fault.error());
    }
    PrintWriter out = spec.commandLine().getOut();
    ResultPrinter printer = format.printer(TerminalText.ofOutput(out), CHART_WIDTH, false);
    printer.columns(COLUMNS);
    List<String> warnings = new ArrayList<>();
    try (Session session = target.openToCheck(files.events(), err)) {
      try {
        RuleCheck check = new RuleCheck(session, range.onTime(session), () -> 0);
        Listing listing = new Listing(printer, warnings);
        check.episodes(rules.rules(), listing);
        wrong |= listing.wrong;
        if (html.isPresent()) {
          writeReport(session, rules);
        }
      } catch (ProblemException e) {
        throw QueryTarget.refused(session, e);
      } catch (IOException e) {
        throw new CommandException(ExitCode.CONNECTION_LOST, String.valueOf(e.getMessage()), e);
      }
    }
    printer.end();
    out.flush();
    warnings.forEach(warning -> err.println("warning: " + ValueText.printable(warning)));
    return (wrong ? ExitCode.STATEMENT_FAILED : ExitCode.OK).number();
  }

  private void writeReport(Session session, RuleSet rules) throws IOException {
    String onTime = range.onTime(session);
    new ReportFile(html.orElseThrow(), session, target.server(files.events()))
        .write(
            rules.rules(),
            new RuleCheck(session, onTime, () -> 0).check(rules.rules()).results(),
            onTime);
  }

  /** Prints the episodes of each rule. */
  private final class Listing implements RuleCheck.EpisodeListener {
    private final ResultPrinter printer;
    private final List<String> warnings;
    private boolean wrong;

    Listing(ResultPrinter printer, List<String> warnings) {
      this.printer = printer;
      this.warnings = warnings;
    }

    @Override
    public boolean episode(Episode episode) {
      printer.row(row(episode));
      return !spec.commandLine().getOut().checkError();
    }

    @Override
    public void end(Rule rule, List<String> found, Optional<RqlException> failure) {
      for (String warning : found) {
        printer.warning(rule.name() + ": " + warning);
        warnings.add(rule.name() + ": " + warning);
      }
      failure.ifPresent(e -> report(spec.commandLine().getErr(), rule.place(), e));
      wrong |= failure.isPresent();
    }
  }

  private static void report(PrintWriter err, String place, RqlException e) {
    err.println(place + ":");
    err.print(DiagnosticPrinter.print(e));
    err.flush();
  }

  private static Row row(Episode episode) {
    return new Row(
        episode.hlc(),
        0,
        List.of(
            Value.of(episode.id()),
            episode.time().<Value>map(Value::of).orElse(NullValue.NULL),
            number(episode.uncertaintyMicros()),
            number(episode.durationMicros()),
            Value.of(episode.open()),
            episode.cut()),
        Optional.empty());
  }

  private static Value number(OptionalLong number) {
    return number.isPresent() ? Value.of(number.getAsLong()) : NullValue.NULL;
  }
}
