// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.EventFiles;
import io.retroscope.cli.option.IdleTimeoutOption;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.option.OuterRowsOption;
import io.retroscope.cli.option.RuleFiles;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.cli.shell.RqlShell;
import io.retroscope.cli.shell.ShellOptions;
import io.retroscope.cli.shell.SoundWriter;
import io.retroscope.cli.sound.ShellSound;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.sonify.bank.Instrument;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
      "  zstdcat *.zst | retroscope shell - -c 'SHOW LOGS'",
      "  retroscope shell --file events.ndjson --format csv \\",
      "      -c 'SELECT r1, SPREAD(r1) AS staleness FROM setd WHEN SPREAD(r1) >= 2'"
    })
public final class ShellCommand implements Callable<Integer> {
  public static final SoundWriter SOUND =
      new SoundWriter() {
        @Override
        public String write(Session session, ParsedStatement query, Path file, RowSink shell)
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

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private EventFiles files = new EventFiles();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Mixin private OuterRowsOption outerRows = new OuterRowsOption();

  @Mixin private IdleTimeoutOption idleTimeout = new IdleTimeoutOption();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> given = List.of();

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

  @Option(
      names = "--rules",
      paramLabel = "RULES.rql",
      description = "A file or a folder of rules, for EXPLAIN EPISODE; may be repeated.")
  private List<Path> rules = List.of();

  @Option(names = "--ignore-errors", description = "Continue after a statement that failed.")
  private boolean ignoreErrors;

  @Override
  public Integer call() {
    return run(StandardStreams.system());
  }

  /**
   * Runs the shell on these streams.
   *
   * @return the exit code
   */
  public int run(StandardStreams streams) {
    boolean areFiles = files.given() || !given.isEmpty();
    if (server.given() && areFiles) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    if (outerRows.given() && !areFiles) {
      throw new CommandException(
          ExitCode.USAGE, "--max-outer-rows is for files; a server has its own --max-outer-rows");
    }
    if (!areFiles) {
      idleTimeout.refuseForServer();
    }
    PrintWriter err = spec.commandLine().getErr();
    return RqlShell.run(
        new ShellOptions(
            areFiles ? Optional.empty() : Optional.of(server.uri()),
            areFiles ? Optional.of(() -> open(err)) : Optional.empty(),
            commands,
            script,
            format,
            SOUND,
            rules.isEmpty() ? List.of() : RuleFiles.read(rules).rules(),
            ignoreErrors,
            server.environment()),
        streams,
        areFiles ? files.zone() : ZoneId.systemDefault());
  }

  private Session open(PrintWriter err) throws IOException {
    QueryLimits limits = idleTimeout.in(QueryLimits.DEFAULT.with(outerRows.limits()));
    return files.of(node.node()).open(given, err).session(limits);
  }
}
