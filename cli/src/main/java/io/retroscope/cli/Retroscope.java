// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import io.retroscope.cli.command.AlertsCommand;
import io.retroscope.cli.command.AlignCommand;
import io.retroscope.cli.command.BacktestCommand;
import io.retroscope.cli.command.BugReportCommand;
import io.retroscope.cli.command.CacheCommand;
import io.retroscope.cli.command.CheckCommand;
import io.retroscope.cli.command.ConsoleCommand;
import io.retroscope.cli.command.DemoCommand;
import io.retroscope.cli.command.DiffCommand;
import io.retroscope.cli.command.ExportCommand;
import io.retroscope.cli.command.FormatsCommand;
import io.retroscope.cli.command.ImportCommand;
import io.retroscope.cli.command.LatencyCommand;
import io.retroscope.cli.command.ListenCommand;
import io.retroscope.cli.command.LogsCommand;
import io.retroscope.cli.command.McpCommand;
import io.retroscope.cli.command.ProposeCommand;
import io.retroscope.cli.command.QuarantineCommand;
import io.retroscope.cli.command.RenderCommand;
import io.retroscope.cli.command.ReportCommand;
import io.retroscope.cli.command.ServerCommand;
import io.retroscope.cli.command.ShellCommand;
import io.retroscope.cli.command.SimulateCommand;
import io.retroscope.cli.command.SoundsCommand;
import io.retroscope.cli.command.StoreCommand;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.file.InputException;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.health.Release;
import io.retroscope.server.lines.LineException;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code retroscope}. */
@Command(
    name = "retroscope",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    version = "retroscope " + Release.VERSION,
    description = "What did my whole distributed system look like at that instant?",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  retroscope demo zookeeper --seconds 20",
      "",
      "Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 a statement failed, 4 connection lost,",
      "5 a check is inconclusive, 6 a check failed by an internal error, 141 the output's reader"
          + " ended.",
      "RETROSCOPE_DEBUG=1 prints the stack trace of an error; NO_COLOR=1 disables colours."
    })
public final class Retroscope implements Runnable {
  /** The variable that enables stack traces of errors, unless it is 0 or empty. */
  static final String DEBUG_VARIABLE = "RETROSCOPE_DEBUG";

  /** The commands in the order of the help. */
  static final Map<String, Class<?>> COMMANDS = commands();

  @Spec private CommandSpec spec = CommandSpec.create();

  private Retroscope() {}

  private static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("demo", DemoCommand.class);
    commands.put("server", ServerCommand.class);
    commands.put("store", StoreCommand.class);
    commands.put("quarantine", QuarantineCommand.class);
    commands.put("alerts", AlertsCommand.class);
    commands.put("shell", ShellCommand.class);
    commands.put("console", ConsoleCommand.class);
    commands.put("mcp", McpCommand.class);
    commands.put("check", CheckCommand.class);
    commands.put("backtest", BacktestCommand.class);
    commands.put("report", ReportCommand.class);
    commands.put("diff", DiffCommand.class);
    commands.put("propose", ProposeCommand.class);
    commands.put("import", ImportCommand.class);
    commands.put("formats", FormatsCommand.class);
    commands.put("export", ExportCommand.class);
    commands.put("render", RenderCommand.class);
    commands.put("listen", ListenCommand.class);
    commands.put("sounds", SoundsCommand.class);
    commands.put("cache", CacheCommand.class);
    commands.put("align", AlignCommand.class);
    commands.put("simulate", SimulateCommand.class);
    commands.put("logs", LogsCommand.class);
    commands.put("latency", LatencyCommand.class);
    commands.put("bug-report", BugReportCommand.class);
    return Collections.unmodifiableMap(commands);
  }

  /** Runs one command and ends the process with its exit code. */
  @SuppressWarnings("SystemExitOutsideMain")
  public static void main(String[] args) {
    System.setOut(StandardStreams.output());
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(System.err);
    int exitCode = run(out, err, System.getenv(), args);
    out.flush();
    if (System.out.checkError() && exitCode == ExitCode.OK.number()) {
      exitCode = outputFailed(err).number();
    }
    err.flush();
    System.exit(exitCode);
  }

  /** Truncated output must not look complete to the caller. */
  private static ExitCode outputFailed(PrintWriter err) {
    if (StandardStreams.hasReaderEnded()) {
      return ExitCode.READER_ENDED;
    }
    err.println("error: the output could not be written completely");
    return ExitCode.FAILED;
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }

  /**
   * Runs one command.
   *
   * @param environment the process's environment variables
   * @return the exit code
   */
  public static int run(
      PrintWriter out, PrintWriter err, Map<String, String> environment, String... args) {
    boolean debug = !environment.getOrDefault(DEBUG_VARIABLE, "0").matches("0|");
    return commandLine(args)
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler((e, badArgs) -> wrongUsage(e, err))
        .setExecutionExceptionHandler((e, line, result) -> failed(e, err, debug))
        .execute(args);
  }

  /**
   * The command with the subcommands that the arguments can mean. To read the options of all takes
   * longer than most commands take.
   */
  public static CommandLine commandLine(String... args) {
    CommandLine line = new CommandLine(new Retroscope());
    COMMANDS.forEach(
        (name, command) -> {
          if (canMean(args, name)) {
            // A line of its own, so that picocli applies the command's transformer.
            line.addSubcommand(name, new CommandLine(command));
          }
        });
    return line.setUsageHelpWidth(100).setCaseInsensitiveEnumValuesAllowed(true);
  }

  private static boolean canMean(String[] args, String name) {
    if (args.length > 0 && COMMANDS.containsKey(args[0])) {
      return name.equals(args[0]);
    }
    return !(args.length == 1 && args[0].equals("--version"));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int wrongUsage(ParameterException e, PrintWriter err) {
    String name = e.getCommandLine().getCommandSpec().qualifiedName();
    if (e instanceof UnmatchedArgumentException unmatched) {
      err.println("error: unknown argument: " + String.join(" ", unmatched.getUnmatched()));
    } else {
      err.println("error: " + sentence(String.valueOf(e.getMessage())));
    }
    err.println("help: " + suggestion(e) + name + " --help");
    return ExitCode.USAGE.number();
  }

  private static String suggestion(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    if (StatementSource.isIn(spec)) {
      Optional<String> advice = StatementSource.advice(unmatched.getUnmatched().get(0));
      if (advice.isPresent()) {
        return advice.get() + ": ";
      }
    }
    List<String> known = new ArrayList<>(spec.subcommands().keySet());
    known.addAll(spec.optionsMap().keySet());
    return Spelling.nearest(unmatched.getUnmatched().get(0), known)
        .map(word -> "did you mean " + word + "? ")
        .orElseGet(() -> stories(spec));
  }

  /** The subcommands, if these are not the many of the first word. */
  private static String stories(CommandSpec spec) {
    boolean inner = spec.parent() != null && !spec.subcommands().isEmpty();
    return inner ? "there is " + String.join(", ", spec.subcommands().keySet()) + ". " : "";
  }

  private static int failed(Exception e, PrintWriter err, boolean debug) {
    if (e instanceof RqlException rql) {
      err.print(DiagnosticPrinter.print(rql));
      err.flush();
    } else {
      // An error in a server's rules has its place, and a caret below it.
      boolean hasLines = e instanceof ServerException;
      err.println("error: " + (hasLines ? explain(e).stripTrailing() : sentence(explain(e))));
    }
    if (debug) {
      e.printStackTrace(err);
    }
    return exitCode(e).number();
  }

  private static ExitCode exitCode(Exception e) {
    if (e instanceof CommandException known) {
      return known.exitCode();
    }
    return e instanceof RqlException ? ExitCode.STATEMENT_FAILED : ExitCode.FAILED;
  }

  private static String explain(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (e instanceof NoSuchFileException
        || e instanceof AccessDeniedException
        || e instanceof FileAlreadyExistsException) {
      return message + ": " + FileProblem.reason(e);
    }
    boolean expected =
        e instanceof CommandException
            || e instanceof InputException
            || e instanceof ProblemException
            || e instanceof ServerException
            || e instanceof StoreException
            || e instanceof LineException
            || e instanceof IOException;
    return expected
        ? message
        : "internal error: %s (%s=1 prints the stack trace)".formatted(e, DEBUG_VARIABLE);
  }

  private static String sentence(String message) {
    return message.lines().map(String::strip).reduce((a, b) -> a + "; " + b).orElse("");
  }
}
