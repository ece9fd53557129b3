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
import io.retroscope.rql.ast.Literals;
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
import io.retroscope.rql.rule.RunCounts;
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
      "  retroscope backtest rules.rql events.ndjson --for 10ms..10s",
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

  private static final List<Column> COUNT_COLUMNS =
      List.of(
          new Column("rule", false),
          new Column("for", false),
          new Column("episodes", false),
          new Column("perDay", false));

  private static final double DAY_MICROS = 86_400e6;

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
      names = "--for",
      paramLabel = "FROM..TO",
      description =
          "Instead, print how many episodes a day there would have been for each FOR from one"
              + " duration to another, such as 10ms..10s.")
  private Optional<String> durations = Optional.empty();

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
    printer.columns(durations.isPresent() ? COUNT_COLUMNS : COLUMNS);
    List<String> warnings = new ArrayList<>();
    try (Session session = target.openToCheck(files.events(), err)) {
      try {
        Listing listing = new Listing(printer, warnings);
        if (durations.isPresent()) {
          listing.count(session, rules.rules(), durations.get());
        } else {
          new RuleCheck(session, range.onTime(session), () -> 0).episodes(rules.rules(), listing);
        }
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

    /** Prints the numbers of episodes for other FOR clauses. */
    void count(Session session, List<Rule> rules, String text) throws IOException {
      List<Long> micros = micros(text);
      double days = Math.max(1, range.micros(session)) / DAY_MICROS;
      for (RunCounts.Counts counts : RunCounts.of(session, rules, range.onTime(session), micros)) {
        for (int i = 0; i < counts.episodes().size(); i++) {
          long episodes = counts.episodes().get(i);
          printer.row(
              new Row(
                  0,
                  0,
                  List.of(
                      Value.of(counts.rule().name()),
                      Value.of(Literals.duration(micros.get(i))),
                      Value.of(episodes),
                      Value.of(Math.round(10 * episodes / days) / 10.0)),
                  Optional.empty()));
        }
        boolean hasRuns = counts.failure().isPresent() || !counts.episodes().isEmpty();
        String none = "--for counts runs of WHEN, and this rule has none to count";
        end(counts.rule(), hasRuns ? counts.warnings() : List.of(none), counts.failure());
      }
    }

    private static List<Long> micros(String text) {
      String[] ends = text.split("\\.\\.", -1);
      OptionalLong from = Literals.durationMicros(ends[0]);
      OptionalLong until = Literals.durationMicros(ends[ends.length - 1]);
      boolean isRange =
          ends.length == 2
              && from.orElse(0) > 0
              && until.isPresent()
              && until.getAsLong() >= from.getAsLong();
      if (!isRange) {
        throw new CommandException(
            ExitCode.USAGE, "--for needs two durations, the shorter one first, such as 10ms..10s");
      }
      return RunCounts.steps(from.getAsLong(), until.getAsLong());
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
