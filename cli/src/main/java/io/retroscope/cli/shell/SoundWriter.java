// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.parser.ParsedStatement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A writer of the sound of a query with PLAY. The shell itself has no dependency on sound. */
@FunctionalInterface
public interface SoundWriter {
  /**
   * Runs a query and writes its notes to a file, whose name decides the format.
   *
   * @param shell receives the query's warnings and progress, but no rows, and can cancel it
   * @return one line that describes the written file
   * @throws io.retroscope.rql.client.ProblemException if there is nothing to write, or the file
   *     name is not supported
   * @throws io.retroscope.rql.diagnostic.RqlException if the query is wrong, or failed
   * @throws IOException if the file cannot be written, or the server cannot be reached
   */
  String write(Session session, ParsedStatement query, Path file, RowSink shell) throws IOException;

  /** The names of instruments as written in a query, for completion. */
  default List<String> instruments() {
    return List.of();
  }
}
