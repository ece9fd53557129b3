// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.evaluation.QueryLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** The target of a query: a file, or a log server. */
public final class QueryTarget {
  @Mixin private ServerOption server = new ServerOption();

  @Mixin private EventFiles files = new EventFiles();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Mixin private IdleTimeoutOption idleTimeout = new IdleTimeoutOption();

  /**
   * Opens files of events, together with those of {@code --file}; without any, the server.
   *
   * @param err takes notes and progress
   */
  public Session open(List<Path> named, PrintWriter err) throws IOException {
    if (named.isEmpty() && !files.given()) {
      idleTimeout.refuseForServer();
      return server.client().rql();
    }
    if (server.given()) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    return files.of(node.node()).open(named, err).session(idleTimeout.in(QueryLimits.DEFAULT));
  }

  /** How files are read. */
  public InputSettings input() throws IOException {
    return files.of(node.node()).settings();
  }

  /** Whether a server or files are named by options. */
  public boolean isGiven() {
    return server.given() || files.given();
  }

  /** The server, unless files are the target. */
  public Optional<ServerClient> server(List<Path> named) {
    return named.isEmpty() && !files.given() ? Optional.of(server.client()) : Optional.empty();
  }

  /**
   * Opens as {@link #open} does, for a command whose exit code 1 says something about the events.
   *
   * @throws CommandException with the code of wrong usage if a file cannot be read
   */
  public Session openToCheck(List<Path> named, PrintWriter err) {
    try {
      return open(named, err);
    } catch (IOException e) {
      String file = e instanceof FileSystemException problem ? problem.getFile() : "the files";
      throw new CommandException(
          ExitCode.USAGE, "cannot read " + file + ": " + FileProblem.reason(e), e);
    }
  }

  /**
   * Opens as {@link #openToCheck(List, PrintWriter)} does.
   *
   * @param assumesComplete whether silent nodes and missing blocks are taken to hold nothing
   */
  public Session openToCheck(List<Path> named, PrintWriter err, boolean assumesComplete) {
    Session session = openToCheck(named, err);
    if (!assumesComplete) {
      return session;
    }
    return session instanceof LocalSession file
        ? file.assumingComplete()
        : ((RqlClient) session).assumingComplete();
  }

  /**
   * The end of such a command because of a refusal of the server, a file that is damaged, or more
   * events of a server than this process holds.
   */
  public static CommandException refused(Session session, ProblemException e) {
    ExitCode ofServer =
        e instanceof EventFileException ? ExitCode.FAILED : ExitCode.CONNECTION_LOST;
    return new CommandException(
        session instanceof LocalSession ? ExitCode.USAGE : ofServer, e.reason(), e);
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
