// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.diagnostic.RqlException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The rows of an answer, and the times of their arrival. Used by one thread. */
final class AnswerRows implements RowSink {
  private final Runnable atStart;

  private final List<String> rows = new ArrayList<>();
  private List<Column> columns = List.of();
  private Deadline begun = Deadline.in(Duration.ZERO);
  private Deadline last = begun;
  private Duration longestWait = Duration.ZERO;
  private Duration total = Duration.ZERO;

  private AnswerRows(Runnable atStart) {
    this.atStart = atStart;
  }

  /**
   * Runs a query.
   *
   * @param atStart run once, after the first row, before any other is read
   * @throws StageException if the server refuses it, or ends it with an error
   */
  static AnswerRows of(URI server, String query, Runnable atStart)
      throws StageException, IOException {
    AnswerRows rows = new AnswerRows(atStart);
    rows.begun = Deadline.in(Duration.ZERO);
    try (RqlClient client = new RqlClient(server)) {
      client.run(query, rows);
    } catch (RqlException | ProblemException e) {
      throw new StageException(server + " refuses \"" + query + "\": " + e.getMessage(), e);
    }
    rows.total = rows.begun.remaining().negated();
    rows.noteWait();
    return rows;
  }

  /** The rows without the columns that depend on the server, in their order. */
  List<String> rows() {
    return rows;
  }

  /** The time from the query to its end. */
  Duration total() {
    return total;
  }

  /** The longest time between two rows, or from the last row to the end. */
  Duration longestWait() {
    return longestWait;
  }

  @Override
  public void columns(List<Column> named) {
    columns = named;
  }

  @Override
  public boolean row(Row row) {
    boolean isFirst = rows.isEmpty();
    noteWait();
    rows.add(Match.of(columns, row).hlc() + " " + Match.of(columns, row).comparable());
    if (isFirst) {
      atStart.run();
    }
    last = Deadline.in(Duration.ZERO);
    return true;
  }

  private void noteWait() {
    Duration wait = last.remaining().negated();
    if (!rows.isEmpty() && wait.compareTo(longestWait) > 0) {
      longestWait = wait;
    }
  }

  @Override
  public void warning(String message) {
    // A cluster always warns that it does not align clocks, and one server does not.
  }
}
