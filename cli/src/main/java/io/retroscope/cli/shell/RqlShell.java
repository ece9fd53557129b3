// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.cli.shell.ShellSettings.Expanded;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.ServerConnection;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.rule.RuleSession;
import io.retroscope.sink.Credentials;
import io.retroscope.sink.ServerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Optional;

/** The shell, which queries a log server or a file, at a prompt or from a script. */
public final class RqlShell {
  private static final String SERVER_VARIABLE = "RETROSCOPE_SERVER";

  private final ShellOptions options;
  private final StandardStreams streams;
  private final ShellClock clock;
  private final ErrorPrinter errors;

  RqlShell(ShellOptions options, StandardStreams streams, ShellClock clock) {
    this.options = options;
    this.streams = streams;
    this.clock = clock;
    this.errors =
        new ErrorPrinter(
            streams.err(),
            streams.errIsTerminal() ? Optional.of(streams.width()) : Optional.empty());
  }

  /**
   * Runs the shell until it ends.
   *
   * @param zone of times in statements that have none
   * @return the exit code of the process: see {@link ExitCode}
   */
  public static int run(ShellOptions options, StandardStreams streams, ZoneId zone) {
    return new RqlShell(options, streams, ShellClock.system(zone)).run().number();
  }

  ExitCode run() {
    if (options.server().isPresent() && options.files().isPresent()) {
      errors.error("--server and --file cannot be given together");
      return ExitCode.USAGE;
    }
    Session session;
    try {
      session = open();
    } catch (IllegalArgumentException e) {
      errors.error(String.valueOf(e.getMessage()));
      return ExitCode.USAGE;
    } catch (EventFileException e) {
      errors.error(e.reason());
      return ExitCode.FAILED;
    } catch (IOException e) {
      String file = e instanceof FileSystemException named ? named.getFile() : "the files";
      errors.error("cannot read " + file + ": " + FileProblem.reason(e));
      return ExitCode.FAILED;
    }
    try (session) {
      ExitCode result = run(session);
      return streams.out().checkError() ? outputFailed(result) : result;
    } finally {
      streams.err().flush();
    }
  }

  /**
   * Returns the exit code for a failed output, so that a truncated result does not look complete to
   * the caller.
   */
  private ExitCode outputFailed(ExitCode result) {
    if (result != ExitCode.OK) {
      return result;
    }
    if (StandardStreams.hasReaderEnded()) {
      return ExitCode.READER_ENDED; // It has seen what it wanted.
    }
    errors.error("the output could not be written completely");
    return ExitCode.FAILED;
  }

  private Session open() throws IOException {
    Session session = openTarget();
    return options.rules().isEmpty() ? session : new RuleSession(session, options.rules());
  }

  private Session openTarget() throws IOException {
    if (options.files().isPresent()) {
      return options.files().get().open();
    }
    URI server = options.server().isPresent() ? options.server().get() : serverOfEnvironment();
    return new RqlClient(server, Credentials.of(options.environment()));
  }

  private URI serverOfEnvironment() {
    String address = options.environment().getOrDefault(SERVER_VARIABLE, "");
    try {
      return address.isEmpty() ? ServerConnection.DEFAULT_SERVER : ServerAddress.parse(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(SERVER_VARIABLE + " is not an address: " + address, e);
    }
  }

  ExitCode run(Session session) {
    boolean script = !options.commands().isEmpty() || options.script().isPresent();
    if (!script && streams.inIsTerminal() && streams.outIsTerminal()) {
      return new InteractiveShell(options, session, clock).run();
    }
    try (ShellSettings settings = new ShellSettings(streams.out(), options.format(), tables())) {
      Cancellation cancellation = new Cancellation();
      StatementRunner runner =
          new StatementRunner(
              session, streams, settings, clock, cancellation, errors, Optional.empty());
      Interpreter interpreter =
          new Interpreter(
              runner,
              settings,
              new ShellTools(
                  options.sound(), new Subprocess(Optional.empty(), options.environment())),
              errors,
              clock,
              cancellation,
              false,
              options.ignoreErrors());
      return script ? commands(interpreter) : input(interpreter);
    }
  }

  /** Chooses whole tables for programs, and tables that fit the terminal for users. */
  private Expanded tables() {
    return streams.outIsTerminal() ? Expanded.AUTO : Expanded.OFF;
  }

  private ExitCode commands(Interpreter interpreter) {
    ExitCode result = ExitCode.OK;
    for (String command : options.commands()) {
      ExitCode one = interpreter.text(command);
      result = one == ExitCode.OK ? result : one;
      if (interpreter.left() || interpreter.endsAt(one)) {
        return result;
      }
    }
    if (options.script().isEmpty()) {
      return result;
    }
    Path file = options.script().get();
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      ExitCode one = interpreter.script(lines, options.script());
      return one == ExitCode.OK ? result : one;
    } catch (IOException e) {
      errors.error("cannot read " + file + ": " + FileProblem.reason(e));
      return ExitCode.FAILED;
    }
  }

  private ExitCode input(Interpreter interpreter) {
    try {
      return interpreter.script(
          new BufferedReader(new InputStreamReader(streams.in(), StandardCharsets.UTF_8)),
          Optional.empty());
    } catch (IOException e) {
      errors.error("cannot read the input: " + FileProblem.reason(e));
      return ExitCode.FAILED;
    }
  }
}
