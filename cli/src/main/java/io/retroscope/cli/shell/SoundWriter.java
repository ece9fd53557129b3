package io.retroscope.cli.shell;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes what a query with PLAY sounds like. The shell itself knows nothing of sound. */
@FunctionalInterface
public interface SoundWriter {
  /**
   * Runs a query and writes its notes to a file, whose name says in which format.
   *
   * @param shell gets the query's warnings and progress, but no rows, and can give up
   * @return one line that says what was written
   * @throws io.retroscope.rql.client.ProblemException if there is nothing to write, or not under
   *     that name
   * @throws io.retroscope.rql.diagnostic.RqlException if the query is wrong, or failed
   * @throws IOException if the file cannot be written, or the server is not reached
   */
  String write(Session session, String query, Path file, RowSink shell) throws IOException;

  /** Names of instruments, as a query may write them, for completion. */
  default List<String> instruments() {
    return List.of();
  }
}
