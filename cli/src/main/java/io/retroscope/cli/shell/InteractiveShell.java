// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jline.keymap.KeyMap;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.Signals;

/** The shell at a prompt, with history, completion and colours. Ctrl-C never ends it. */
final class InteractiveShell {
  /** The maximum number of history entries. */
  static final int HISTORY_SIZE = 10_000;

  private static final String PROMPT = "rql> ";

  /** As wide as the prompt; the mark is the unclosed element, such as a quotation mark. */
  private static final String CONTINUATION = "%P %M> ";

  private static final String LEAVE = "leave-or-delete-char";

  private final ShellOptions options;
  private final Session session;
  private final ShellClock clock;

  InteractiveShell(ShellOptions options, Session session, ShellClock clock) {
    this.options = options;
    this.session = session;
    this.clock = clock;
  }

  ExitCode run() {
    // Otherwise Ctrl-C is both a signal and a key, and may end the next line too.
    System.getProperties().putIfAbsent(TerminalBuilder.PROP_SOFTWARE_SIGNALS, "false");
    try (Terminal terminal =
        TerminalBuilder.builder()
            .encoding(StandardCharsets.UTF_8)
            .graphemeCluster(false) // Querying the terminal for it discards typed-ahead input.
            .build()) {
      return run(terminal);
    } catch (IOException e) {
      throw new IllegalStateException("the terminal cannot be used: " + e.getMessage(), e);
    }
  }

  private ExitCode run(Terminal terminal) {
    ErrorPrinter errors = new ErrorPrinter(terminal.writer(), Optional.of(() -> columns(terminal)));
    CatalogCache catalog = new CatalogCache(session, clock);
    try {
      if (options.files().isEmpty()) {
        catalog.load(); // Whether the server can be reached; a file may take long to read.
      }
    } catch (IOException e) {
      errors.error(e);
      errors.note(
          "help: ./retroscope server starts one; --server selects another, --file queries a file");
      return ExitCode.CONNECTION_LOST;
    } catch (ProblemException e) {
      errors.error(e.reason());
      return ExitCode.CONNECTION_LOST;
    }
    Cancellation cancellation = new Cancellation();
    handleInterrupt(terminal, cancellation);
    StandardStreams streams = streams(terminal);
    try (ShellSettings settings =
        new ShellSettings(streams.out(), options.format(), ShellSettings.Expanded.AUTO)) {
      Optional<String> command =
          Optional.ofNullable(options.environment().get("PAGER")).filter(text -> !text.isBlank());
      settings.pages(command.isPresent());
      settings.maxRows(ShellSettings.ROWS_AT_PROMPT);
      StatementRunner runner =
          new StatementRunner(
              session,
              streams,
              settings,
              clock,
              cancellation,
              errors,
              Optional.of(new TerminalPager(terminal, command)));
      ShellTools tools =
          new ShellTools(
              options.sound(), new Subprocess(Optional.of(terminal), options.environment()));
      Interpreter interpreter =
          new Interpreter(runner, settings, tools, errors, clock, cancellation, true, false);
      runCommandsOfHome(interpreter, errors);
      terminal
          .writer()
          .println(
              "Asking "
                  + session.target()
                  + ". Statements end with a semicolon; \\? for help, \\q to leave.");
      loop(reader(terminal, catalog), interpreter);
      return ExitCode.OK;
    }
  }

  /**
   * Handles Ctrl-C. A terminal without a line editor, as in Emacs, sends the signal to the process
   * instead of the editor; then it is passed on to what handles it at the moment.
   */
  private static void handleInterrupt(Terminal terminal, Cancellation cancellation) {
    terminal.handle(Signal.INT, signal -> cancellation.cancel());
    if (hasNoEditor(terminal)) {
      Signals.register("INT", () -> terminal.raise(Signal.INT));
    }
  }

  private static boolean hasNoEditor(Terminal terminal) {
    return terminal.getType().startsWith(Terminal.TYPE_DUMB);
  }

  private static StandardStreams streams(Terminal terminal) {
    return new StandardStreams(
        terminal.input(),
        terminal.writer(),
        terminal.writer(),
        true,
        true,
        true,
        () -> columns(terminal));
  }

  private static int columns(Terminal terminal) {
    int columns = terminal.getSize().getColumns();
    return columns > 0 ? columns : StandardStreams.DEFAULT_WIDTH;
  }

  private void runCommandsOfHome(Interpreter interpreter, ErrorPrinter errors) {
    Path file = options.home().resolve(".rqlrc");
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      interpreter.script(lines, Optional.of(file));
    } catch (IOException e) {
      errors.error("cannot read " + file + ": " + FileProblem.reason(e));
    }
  }

  private LineReader reader(Terminal terminal, CatalogCache catalog) {
    LineReader reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("rql")
            .parser(new EditorParser(() -> catalog.get().names()))
            .completer(completer(terminal, catalog))
            .completionMatcher(new NameMatcher())
            .highlighter(new RqlHighlighter(options.color()))
            .variable(LineReader.HISTORY_FILE, options.home().resolve(".rql_history"))
            .variable(LineReader.HISTORY_SIZE, HISTORY_SIZE)
            .variable(LineReader.HISTORY_FILE_SIZE, HISTORY_SIZE)
            .variable(LineReader.SECONDARY_PROMPT_PATTERN, CONTINUATION)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.CASE_INSENSITIVE, true)
            .option(LineReader.Option.HISTORY_TIMESTAMPED, false)
            .build();
    bindLeave(reader);
    return reader;
  }

  private Completer completer(Terminal terminal, CatalogCache catalog) {
    RqlCompleter completer =
        new RqlCompleter(catalog, new FileNames(Path.of("")), options.sound().instruments());
    return (reader, line, candidates) -> {
      completer.complete(reader, line, candidates);
      if (catalog.takeFresh()) {
        // The progress of reading a file may have overwritten the line.
        terminal.puts(Capability.carriage_return);
        terminal.puts(Capability.clr_eol);
        reader.callWidget(LineReader.REDRAW_LINE);
      }
    };
  }

  /** Binds Ctrl-D to leave on an empty line; elsewhere it deletes, as in editors. */
  private static void bindLeave(LineReader reader) {
    reader
        .getWidgets()
        .put(
            LEAVE,
            () -> {
              String text = reader.getBuffer().toString();
              if (text.endsWith("\n") && reader.getBuffer().cursor() == text.length()) {
                throw new EndOfFileException();
              }
              reader.callWidget(LineReader.DELETE_CHAR);
              return true;
            });
    Objects.requireNonNull(reader.getKeyMaps().get(LineReader.MAIN))
        .bind(new Reference(LEAVE), KeyMap.ctrl('D'));
  }

  private static void loop(LineReader reader, Interpreter interpreter) {
    String open = "";
    while (!interpreter.left()) {
      try {
        String line =
            open.isEmpty()
                ? reader.readLine(PROMPT)
                : reader.readLine(PROMPT, (Character) null, open);
        open = interpreter.entered(line);
      } catch (UserInterruptException givenUp) {
        open = "";
        // Ctrl-C only discards the line; an editor leaves that line by itself.
        if (hasNoEditor(reader.getTerminal())) {
          reader.getTerminal().writer().println();
        }
      } catch (EndOfFileException e) {
        return;
      }
    }
  }
}
