// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.shell.ShellInput.Command;
import io.retroscope.cli.shell.ShellInput.StatementText;
import io.retroscope.cli.shell.ShellSettings.Expanded;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.rql.print.OutputFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The interpreter of statements and backslash commands. Used by one thread. */
final class Interpreter {
  /** The maximum nesting of {@code \i}, so that a file that includes itself ends. */
  static final int MAX_INCLUDE_DEPTH = 16;

  private static final double DEFAULT_WATCH_SECONDS = 2;
  private static final double MAX_WATCH_SECONDS = 86_400;
  private static final Pattern SECONDS_UNIT = Pattern.compile("(?<=[0-9])s$");

  private final StatementRunner runner;
  private final ShellSettings settings;
  private final ShellTools tools;
  private final ShellVariables variables = new ShellVariables();
  private final ErrorPrinter errors;
  private final ShellClock clock;
  private final Cancellation cancellation;
  private final boolean atPrompt;
  private final boolean ignoreErrors;
  private Optional<String> lastStatement = Optional.empty();
  private int includeDepth;
  private boolean left;

  /**
   * Creates an interpreter.
   *
   * @param atPrompt whether to confirm the changes of a command, for an interactive user
   * @param ignoreErrors whether a script continues after a failed statement
   */
  Interpreter(
      StatementRunner runner,
      ShellSettings settings,
      ShellTools tools,
      ErrorPrinter errors,
      ShellClock clock,
      Cancellation cancellation,
      boolean atPrompt,
      boolean ignoreErrors) {
    this.runner = runner;
    this.settings = settings;
    this.tools = tools;
    this.errors = errors;
    this.clock = clock;
    this.cancellation = cancellation;
    this.atPrompt = atPrompt;
    this.ignoreErrors = ignoreErrors;
  }

  /** Whether {@code \q} was given. */
  boolean left() {
    return left;
  }

  /**
   * Returns whether a script ends after a result. Without a connection, no later statement could
   * run.
   */
  boolean endsAt(ExitCode result) {
    return result == ExitCode.CONNECTION_LOST || (result != ExitCode.OK && !ignoreErrors);
  }

  /** Runs a text of statements and commands up to the first failure. */
  ExitCode text(String text) {
    return lines(text, new Progress(ignoreErrors));
  }

  /** Runs a text from the prompt; an error does not end the rest of it. */
  ExitCode typed(String text) {
    return lines(text, new Progress(true));
  }

  /**
   * Runs a text from the prompt, or a command in the last line of a statement that is still open.
   *
   * @return the statement, if it is still open
   */
  String entered(String text) {
    Optional<StatementSplitter.Inner> inner = StatementSplitter.inner(text);
    if (inner.isPresent()) {
      ExitCode unusedResult = run(inner.get().command());
      return inner.get().statement();
    }
    ExitCode unused = typed(text);
    return "";
  }

  private ExitCode lines(String text, Progress progress) {
    StatementSplitter splitter = new StatementSplitter();
    for (String line : text.lines().toList()) {
      if (!progress.run(splitter.line(line))) {
        return progress.result;
      }
    }
    progress.run(splitter.end());
    return progress.result;
  }

  /**
   * Runs a script while it is read, so that it may be endless.
   *
   * @param file its name for the place of a failure; empty if it has none
   * @throws IOException if it cannot be read
   */
  ExitCode script(BufferedReader lines, Optional<Path> file) throws IOException {
    StatementSplitter splitter = new StatementSplitter();
    Progress progress = new Progress(ignoreErrors);
    Optional<String> includedFrom = errors.place(Optional.empty());
    boolean continues = true;
    int number = 0;
    int start = 0;
    for (String line = lines.readLine(); continues && line != null; line = lines.readLine()) {
      number++;
      start = splitter.nothingBegun() ? number : start;
      continues = runAt(file, start, progress, splitter.line(line));
    }
    if (continues) {
      continues = runAt(file, start, progress, splitter.end());
    }
    if (!continues && progress.lastFailed && file.isPresent()) {
      errors.note(file.get() + ": the rest was not run");
    }
    errors.place(includedFrom);
    return progress.result;
  }

  /** Runs inputs whose errors begin with the place of their first line. */
  private boolean runAt(Optional<Path> file, int line, Progress progress, List<ShellInput> inputs) {
    errors.place(file.map(path -> path + ":" + line));
    return progress.run(inputs);
  }

  /** The progress and the result of running several inputs. */
  private final class Progress {
    private final boolean continuesAfterErrors;
    private ExitCode result = ExitCode.OK;
    private boolean lastFailed;

    Progress(boolean continuesAfterErrors) {
      this.continuesAfterErrors = continuesAfterErrors;
      cancellation.forget();
    }

    /** Runs inputs; returns whether to continue. Ctrl-C ends all remaining ones. */
    boolean run(List<ShellInput> inputs) {
      lastFailed = false;
      for (ShellInput input : inputs) {
        ExitCode one = Interpreter.this.run(input);
        result = one == ExitCode.OK ? result : one;
        lastFailed |= one != ExitCode.OK;
        boolean ends =
            one == ExitCode.CONNECTION_LOST || (one != ExitCode.OK && !continuesAfterErrors);
        if (left || ends || cancellation.isCancelled()) {
          return false;
        }
      }
      return true;
    }
  }

  private ExitCode run(ShellInput input) {
    if (input instanceof StatementText statement) {
      lastStatement = Optional.of(statement.text());
      return runner.run(variables.resolve(statement.text()));
    }
    Command command = (Command) input;
    return switch (command.name()) {
      case "\\?", "\\h" -> help(command.argument());
      case "\\q" -> leave();
      case "\\d" -> describe(command.argument());
      case "\\d+" -> describeWhole(command.argument());
      case "\\conninfo" -> print(runner.connection() + "\n");
      case "\\echo" -> print(variables.resolve(command.argument()) + "\n");
      case "\\unset" -> unset(command.argument());
      case "\\e" -> edit(command.argument());
      case "\\!" -> system(command.argument());
      case "\\x" -> expanded(command.argument());
      case "\\set" -> set(command.argument());
      case "\\timing" -> timing(command.argument());
      case "\\rows" -> rows(command.argument());
      case "\\pager" -> pager(command.argument());
      case "\\format" -> format(command.argument());
      case "\\o" -> output(command.argument());
      case "\\play" -> play(command.argument());
      case "\\i" -> include(command.argument());
      case "\\watch" -> watch(command.argument());
      case "\\dt", "\\l" -> failed("no command " + command.name() + "; \\d lists the logs");
      default -> failed("unknown command " + command.name() + "; \\? lists the commands");
    };
  }

  private ExitCode help(String topic) {
    Optional<String> text = ShellHelp.on(topic);
    return text.isPresent()
        ? print(text.get())
        : failed("no help on " + topic + "; help alone shows an overview");
  }

  private ExitCode print(String text) {
    settings.out().print(text);
    settings.out().flush();
    return ExitCode.OK;
  }

  private ExitCode remark(String text) {
    if (atPrompt) {
      errors.note(text);
    }
    return ExitCode.OK;
  }

  private ExitCode failed(String message) {
    errors.error(message);
    return ExitCode.STATEMENT_FAILED;
  }

  private ExitCode expanded(String argument) {
    @Nullable Expanded wanted =
        switch (argument) {
          case "" -> settings.expanded() == Expanded.ON ? Expanded.OFF : Expanded.ON;
          case "on" -> Expanded.ON;
          case "off" -> Expanded.OFF;
          case "auto" -> Expanded.AUTO;
          default -> null;
        };
    if (wanted == null) {
      return failed("\\x expects on, off or auto: " + argument);
    }
    settings.expanded(wanted);
    return remark(
        switch (wanted) {
          case ON -> "expanded records are on";
          case OFF -> "expanded records are off; tables have all columns and whole times";
          case AUTO -> "tables fit the terminal, as expanded records if they are too wide";
        });
  }

  /** Lists the settings, or changes one by its name. */
  private ExitCode set(String argument) {
    String[] words = argument.strip().split("\\s+", 2);
    String value = words.length > 1 ? words[1] : "";
    return switch (words[0]) {
      case "" -> print(settings.listed() + variables.listed());
      case "columns" -> columns(value);
      case "format" -> value.isEmpty() ? failed("\\set format expects a name") : format(value);
      case "rows" -> rows(value);
      case "timing" -> timing(value);
      case "pager" -> pager(value);
      case "zone" -> zone(value);
      default -> variable(words[0], value);
    };
  }

  /** Sets a variable, unless its name is rather that of a setting. */
  private ExitCode variable(String name, String value) {
    Optional<String> meant = Spelling.nearest(name, ShellSettings.NAMES);
    if (meant.isPresent()) {
      return failed("no setting \"%s\"; did you mean %s?".formatted(name, meant.get()));
    }
    if (!ShellVariables.isName(name) || value.isEmpty()) {
      return failed(
          "no setting \"%s\"; \\set lists all of them, and \\set NAME VALUE makes :NAME a variable"
              .formatted(name));
    }
    variables.set(name, value);
    return remark(":" + name + " in a statement is " + value);
  }

  private ExitCode unset(String name) {
    return variables.unset(name) ? ExitCode.OK : failed("no variable \"" + name + "\"");
  }

  private ExitCode zone(String name) {
    try {
      settings.zone(name);
    } catch (DateTimeException e) {
      return failed("\\set zone expects utc, local, or a zone such as Europe/Berlin: " + name);
    }
    return remark("times are shown in " + settings.zoneName());
  }

  private ExitCode columns(String argument) {
    return switch (argument) {
      case "all" -> expanded("off");
      case "fit" -> expanded("auto");
      case "expanded" -> expanded("on");
      default -> failed("\\set columns expects all, fit or expanded: " + argument);
    };
  }

  private ExitCode timing(String argument) {
    if (!argument.matches("|on|off")) {
      return failed("\\timing expects on or off: " + argument);
    }
    settings.timing(argument.isEmpty() ? !settings.timing() : argument.equals("on"));
    return remark(settings.timing() ? "timing is on" : "timing is off");
  }

  private ExitCode rows(String argument) {
    if (!argument.matches("all|[1-9][0-9]{0,17}")) {
      return failed("\\rows expects a number or all: " + argument);
    }
    settings.maxRows(argument.equals("all") ? Long.MAX_VALUE : Long.parseLong(argument));
    return remark(
        argument.equals("all") ? "all rows are shown" : "up to " + argument + " rows are shown");
  }

  private ExitCode pager(String argument) {
    if (!argument.matches("|on|off")) {
      return failed("\\pager expects on or off: " + argument);
    }
    if (!runner.hasPager()) {
      return failed("\\pager needs a terminal");
    }
    settings.pages(argument.isEmpty() ? !settings.pages() : argument.equals("on"));
    return remark(
        settings.pages()
            ? "results longer than the screen are shown by screens; q leaves them"
            : "results are shown at once, up to the number of \\rows");
  }

  private ExitCode leave() {
    left = true;
    return ExitCode.OK;
  }

  private ExitCode describe(String log) {
    String name = log.endsWith(";") ? log.substring(0, log.length() - 1).strip() : log;
    if (name.isEmpty()) {
      return runner.run("SHOW LOGS;");
    }
    return runner.run("DESCRIBE " + quoted(name) + ";");
  }

  /** Describes a log, and shows its state at the end. */
  private ExitCode describeWhole(String log) {
    ExitCode described = describe(log);
    String name = log.endsWith(";") ? log.substring(0, log.length() - 1).strip() : log;
    if (described != ExitCode.OK) {
      return described;
    }
    return runner.run(
        name.isEmpty() ? "SHOW NODES;" : "SELECT * FROM " + quoted(name) + " ON TIME NOW;");
  }

  private static String quoted(String name) {
    return name.startsWith("`") ? name : "`" + name.replace("`", "``") + "`";
  }

  /** Runs a statement, or the last one, once the user has edited it. */
  private ExitCode edit(String file) {
    if (!tools.programs().hasTerminal()) {
      return failed("\\e needs a terminal");
    }
    try {
      String before = file.isEmpty() ? lastStatement.orElse("") : Files.readString(Path.of(file));
      String text = tools.programs().edit(before);
      if (text.isBlank() || text.strip().equals(before.strip())) {
        return remark("the statement was not changed and is not run");
      }
      print(text.strip() + "\n");
      return typed(text);
    } catch (IOException | IllegalArgumentException e) {
      return failed("\\e: " + FileProblem.reason(e));
    }
  }

  private ExitCode system(String command) {
    if (command.isEmpty()) {
      return failed("\\! needs a command: \\! ls *.rql");
    }
    settings.out().flush();
    try {
      int exitCode = tools.programs().run(command);
      return exitCode == 0 ? ExitCode.OK : failed("\\! ended with code " + exitCode);
    } catch (IOException e) {
      return failed("\\!: " + FileProblem.reason(e));
    }
  }

  private ExitCode format(String name) {
    if (name.isEmpty()) {
      return print(
          "the format is " + settings.format().word() + " of " + OutputFormat.words() + "\n");
    }
    Optional<OutputFormat> format = OutputFormat.named(name);
    if (format.isEmpty()) {
      return failed("no format \"" + name + "\"; there are: " + OutputFormat.words());
    }
    settings.format(format.get());
    return remark("results are printed as " + format.get().word());
  }

  private ExitCode output(String file) {
    if (file.isEmpty()) {
      settings.close();
      return ExitCode.OK;
    }
    try {
      settings.writeTo(Path.of(file));
      return remark("results go to " + file + "; \\o alone shows them here again");
    } catch (IOException | IllegalArgumentException e) {
      return failed("cannot write " + file + ": " + FileProblem.reason(e));
    }
  }

  /** Writes the sound of the last statement. */
  private ExitCode play(String file) {
    if (file.isEmpty()) {
      return failed("\\play needs a file: \\play stale.wav, or stale.mid");
    }
    if (lastStatement.isEmpty()) {
      return failed("\\play writes the sound of the last statement, and there is none yet");
    }
    return runner.play(variables.resolve(lastStatement.get()), file, tools.sound());
  }

  private ExitCode include(String file) {
    if (file.isEmpty()) {
      return failed("\\i needs a file: \\i queries.rql");
    }
    if (includeDepth == MAX_INCLUDE_DEPTH) {
      return failed("\\i is nested deeper than " + MAX_INCLUDE_DEPTH + " files: " + file);
    }
    includeDepth++;
    try (BufferedReader lines = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
      return script(lines, Optional.of(Path.of(file)));
    } catch (IOException | IllegalArgumentException e) {
      return failed("cannot read " + file + ": " + FileProblem.reason(e));
    } finally {
      includeDepth--;
    }
  }

  /** The command {@code \watch [seconds [times]]}. */
  private ExitCode watch(String argument) {
    if (lastStatement.isEmpty()) {
      return failed("\\watch repeats the last statement, and there is none yet");
    }
    String[] parts = argument.isEmpty() ? new String[0] : argument.split("\\s+");
    double seconds;
    long times;
    try {
      seconds =
          parts.length > 0
              ? Double.parseDouble(SECONDS_UNIT.matcher(parts[0]).replaceFirst(""))
              : DEFAULT_WATCH_SECONDS;
      times = parts.length > 1 ? Long.parseLong(parts[1]) : Long.MAX_VALUE;
    } catch (NumberFormatException e) {
      return failed("\\watch takes seconds and a number of times: \\watch 2 10");
    }
    if (!(seconds >= 0.1 && seconds <= MAX_WATCH_SECONDS) || times < 1 || parts.length > 2) {
      return failed("\\watch takes 0.1 to 86400 seconds and a number of times: \\watch 2 10");
    }
    return repeat(lastStatement.get(), Math.round(seconds * 1000), times);
  }

  private ExitCode repeat(String statement, long millis, long times) {
    for (long i = 0; i < times; i++) {
      ExitCode result = runner.run(variables.resolve(statement));
      if (result != ExitCode.OK || cancellation.isCancelled()) {
        return result;
      }
      if (i + 1 < times && !pause(millis)) {
        return ExitCode.OK;
      }
    }
    return ExitCode.OK;
  }

  /** Waits; returns false if it was cancelled. */
  private boolean pause(long millis) {
    cancellation.begin();
    try {
      clock.pause(millis);
      return true;
    } catch (InterruptedException e) {
      errors.freshLine();
      errors.note("cancelled");
      return false;
    } finally {
      cancellation.end();
    }
  }
}
