package io.retroscope.rql.client;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import java.io.IOException;

/** Where statements go, and rows come from. Used by one thread. */
public interface Session extends AutoCloseable {
  /** What it asks, as a person names it: an address, or a file's name. */
  String target();

  /**
   * Runs one statement until it ends, or until the sink wants no more rows or has {@linkplain
   * RowSink#cancelled() given up}. Interrupting the thread makes a wait for the next row end too;
   * the thread's interrupt status is then set.
   *
   * @throws RqlException if the statement is wrong, or failed while it ran
   * @throws ProblemException if the statement was not run for a reason that is not in its text
   * @throws IOException if the server cannot be reached, or its answer was cut off
   */
  void run(String statement, RowSink sink) throws IOException;

  /**
   * What there is to ask about.
   *
   * @throws IOException if the server cannot be reached
   */
  Catalog catalog() throws IOException;

  @Override
  void close();
}
