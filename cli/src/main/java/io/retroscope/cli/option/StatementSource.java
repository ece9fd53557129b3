package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The statements that a command runs: from its arguments and from files. */
public final class StatementSource {
  @Parameters(
      arity = "0..*",
      paramLabel = "QUERY",
      description = "RQL with PLAY; several queries are played together.")
  private List<String> queries = List.of();

  @Option(
      names = "--soundscape",
      paramLabel = "FILE.rql",
      description = "Run the queries of a file, each ended by a semicolon.")
  private List<Path> files = List.of();

  /**
   * The text of each query.
   *
   * @param stream whether they must contain STREAM, or must not
   * @return at least one
   * @throws io.retroscope.rql.diagnostic.RqlException if one cannot be parsed
   */
  public List<String> queries(boolean stream) throws IOException {
    List<String> found = new ArrayList<>();
    for (String query : queries) {
      addAll(query, stream, found);
    }
    for (Path file : files) {
      addAll(Files.readString(file), stream, found);
    }
    if (found.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "a query is missing");
    }
    return found;
  }

  private static void addAll(String script, boolean stream, List<String> found) {
    for (Statement statement : new RqlParser().parseScript(script)) {
      if (statement.isLive() != stream) {
        throw new CommandException(
            ExitCode.USAGE,
            stream
                ? "only SELECT STREAM can be listened to: for what is stored, use render"
                : "SELECT STREAM has no end to write: leave out STREAM, or use listen");
      }
      found.add(script.substring(statement.range().start(), statement.range().end()));
    }
  }
}
