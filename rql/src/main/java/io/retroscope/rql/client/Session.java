// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A connection to a log server or a source of events, for running statements. Used by one thread.
 */
public interface Session extends AutoCloseable {
  /** The name of the target for users: an address or a file name. */
  String target();

  /**
   * Runs one statement until it ends, or until the sink wants no more rows or is {@linkplain
   * RowSink#cancelled() cancelled}. Interrupting the thread also ends a wait for the next row; the
   * thread's interrupt status is then set.
   *
   * @throws RqlException if the statement is wrong, or failed while it ran
   * @throws ProblemException if the statement was not run for a reason that is not in its text
   * @throws IOException if the server cannot be reached, or its response was incomplete
   */
  void run(ParsedStatement statement, RowSink sink) throws IOException;

  /** Parses one statement and runs it, as the other {@code run} does. */
  default void run(String statement, RowSink sink) throws IOException {
    run(new RqlParser().read(statement), sink);
  }

  /** A statement and the receiver of its answer. */
  record Task(ParsedStatement statement, RowSink sink) {}

  /**
   * Runs several queries of past events, in one pass over the events if the session can. An error
   * of one of them does not affect the others.
   *
   * @throws IllegalArgumentException if a statement is no query, or is explained
   * @throws ProblemException as {@link #run}
   * @throws IOException as {@link #run}
   */
  default SharedAnswers runTogether(List<Task> tasks) throws IOException {
    List<Optional<RqlException>> failures = new ArrayList<>();
    for (Task task : tasks) {
      try {
        run(task.statement(), task.sink());
        failures.add(Optional.empty());
      } catch (RqlException e) {
        failures.add(Optional.of(e));
      }
    }
    return new SharedAnswers(failures, List.of());
  }

  /**
   * Returns the logs, variables and nodes that can be queried.
   *
   * @throws IOException if the server cannot be reached
   */
  Catalog catalog() throws IOException;

  @Override
  void close();
}
