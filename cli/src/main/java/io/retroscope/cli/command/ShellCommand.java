package io.retroscope.cli.command;

import io.retroscope.cli.option.AlignmentOptions;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.shell.RqlShell;
import io.retroscope.cli.shell.ShellOptions;
import io.retroscope.cli.shell.SoundWriter;
import io.retroscope.cli.sound.ShellSound;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.parser.Reading;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.sonify.bank.Instrument;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that queries a log server or a file, at a prompt or from a script. */
@Command(
    name = "shell",
    description =
        "Query a log server or a file in RQL: at a prompt, or with -c, --script or a pipe.",
    footer = {
      "",
      "Examples:",
      "  retroscope shell --server http://127.0.0.1:7340",
      "  retroscope shell events.ndjson",
      "  retroscope shell --file events.ndjson --format csv \\",
      "      -c 'SELECT r1, SPREAD(r1) AS staleness FROM setd WHEN SPREAD(r1) >= 2'"
    })
public final class ShellCommand implements Callable<Integer> {
  public static final SoundWriter SOUND =
      new SoundWriter() {
        @Override
        public String write(Session session, Reading query, Path file, RowSink shell)
            throws IOException {
          return ShellSound.write(session, query, file, shell);
        }

        /**
         * One word each, because characters of a name other than letters and digits are ignored.
         */
        @Override
        public List<String> instruments() {
          return Instrument.names().stream()
              .map(name -> name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_"))
              .map(name -> name.replaceAll("_$", ""))
              .toList();
        }
      };

  @Mixin private ServerOption server = new ServerOption();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Query a file of events instead of a server.")
  private Optional<Path> named = Optional.empty();

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The same as --file FILE.")
  private Optional<Path> given = Optional.empty();

  @Option(
      names = {"-c", "--command"},
      paramLabel = "STATEMENT",
      description = "Run this statement and exit; may be repeated.")
  private List<String> commands = List.of();

  @Option(
      names = {"-f", "--script"},
      paramLabel = "FILE.rql",
      description = "Run the statements of a file and exit.")
  private Optional<Path> script = Optional.empty();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "aligned",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.ALIGNED;

  @Option(names = "--ignore-errors", description = "Continue after a statement that failed.")
  private boolean ignoreErrors;

  @Override
  public Integer call() {
    if (named.isPresent() && given.isPresent()) {
      throw new CommandException(
          ExitCode.USAGE, "only one file can be queried at a time; export merges several files");
    }
    Optional<Path> file = named.or(() -> given);
    if (server.given() && file.isPresent()) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    AlignmentSettings settings = clocks.settings();
    return RqlShell.run(
        new ShellOptions(
            file.isPresent() ? Optional.empty() : Optional.of(server.uri()),
            file,
            events -> ClockAlignment.of(events, settings),
            commands,
            script,
            format,
            SOUND,
            ignoreErrors,
            server.environment()));
  }
}
