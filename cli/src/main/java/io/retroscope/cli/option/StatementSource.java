// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The statements that a command runs: from its arguments and from files. */
public final class StatementSource {
  private static final String SOUNDSCAPE = ".rql";

  @Parameters(
      arity = "0..*",
      paramLabel = "QUERY|FILE.rql|EVENTS",
      description =
          "RQL with PLAY, or files of such statements, each ended by a semicolon; several sound"
              + " together. Other files are events.")
  private List<String> arguments = List.of();

  @Option(
      names = "--soundscape",
      paramLabel = "FILE.rql",
      description = "Take the queries of a file, each ended by a semicolon.")
  private List<Path> files = List.of();

  /** Returns whether a command takes its statements in this way. */
  public static boolean isIn(CommandSpec command) {
    return command.mixins().values().stream()
        .anyMatch(mixin -> mixin.userObject() instanceof StatementSource);
  }

  /** Advice for an unknown argument that is an option of the shell, which has options for this. */
  public static Optional<String> advice(String unknown) {
    if (unknown.matches("-c.*|--command.*")) {
      return Optional.of("give the query without an option, in quotation marks");
    }
    return unknown.matches("-f.*|--script.*")
        ? Optional.of("give FILE.rql without an option, or as --soundscape FILE.rql")
        : Optional.empty();
  }

  /** Whether anything is given. */
  public boolean isGiven() {
    return !arguments.isEmpty() || !files.isEmpty();
  }

  /** The files of events among the arguments. */
  public List<Path> events() {
    return arguments.stream()
        .filter(StatementSource::isFile)
        .filter(argument -> !argument.endsWith(SOUNDSCAPE))
        .map(Path::of)
        .toList();
  }

  private static boolean isFile(String argument) {
    return argument.endsWith(SOUNDSCAPE)
        || (!argument.contains(" ") && Files.isRegularFile(Path.of(argument)));
  }

  /**
   * The queries. Those of files are made STREAMs, or not, as wanted.
   *
   * @param stream whether they must contain STREAM, or must not
   * @return at least one
   * @throws io.retroscope.rql.diagnostic.RqlException if one cannot be parsed
   */
  public List<Query> queries(boolean stream) throws IOException {
    List<Query> found = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.endsWith(SOUNDSCAPE)) {
        addFile(Path.of(argument), stream, found);
      } else if (!isFile(argument)) {
        for (Query query : parsed(argument)) {
          checkStream(query, stream);
          found.add(query);
        }
      }
    }
    for (Path file : files) {
      addFile(file, stream, found);
    }
    if (found.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "a query is missing");
    }
    return found;
  }

  private static void addFile(Path file, boolean stream, List<Query> found) throws IOException {
    parsed(Files.readString(file)).forEach(query -> found.add(query.asStream(stream)));
  }

  private static List<Query> parsed(String script) {
    List<Query> queries = new ArrayList<>();
    for (Statement statement : new RqlParser().parseScript(script)) {
      if (!(statement instanceof Query query)) {
        throw new CommandException(ExitCode.USAGE, "only SELECT has a sound");
      }
      queries.add(query);
    }
    return queries;
  }

  private static void checkStream(Query query, boolean stream) {
    if (query.isLive() != stream) {
      throw new CommandException(
          ExitCode.USAGE,
          stream
              ? "only SELECT STREAM can be listened to: for what is stored, use render"
              : "SELECT STREAM has no end to write: leave out STREAM, or use listen");
    }
  }
}
