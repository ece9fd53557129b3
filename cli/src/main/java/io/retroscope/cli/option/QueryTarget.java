package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.FileSession;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The target of a query: a file, or a log server. */
public final class QueryTarget {
  @Mixin private ServerOption server = new ServerOption();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Query a file of events instead of a server.")
  private Optional<Path> file = Optional.empty();

  /** Opens the file that was named, or else the server. */
  public Session open() throws IOException {
    return open(List.of());
  }

  /** Opens files of events, together with the one that was named; without any, the server. */
  public Session open(List<Path> named) throws IOException {
    List<Path> paths = new ArrayList<>(named);
    file.ifPresent(paths::add);
    if (paths.isEmpty()) {
      return server.client().rql();
    }
    if (server.given()) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    for (Path path : paths) {
      if (!Files.exists(path)) {
        throw new NoSuchFileException(path.toString());
      }
    }
    AlignmentSettings settings = clocks.settings();
    return FileSession.open(
        paths, events -> ClockAlignment.of(events, settings), QueryLimits.DEFAULT);
  }

  /**
   * Runs one statement.
   *
   * @throws CommandException if the server cannot be reached or its answer was cut off
   * @throws io.retroscope.rql.diagnostic.RqlException if the statement is wrong or failed
   */
  public static void run(Session session, String statement, RowSink sink) {
    try {
      session.run(statement, sink);
    } catch (IOException e) {
      throw new CommandException(ExitCode.CONNECTION_LOST, String.valueOf(e.getMessage()), e);
    }
  }
}
