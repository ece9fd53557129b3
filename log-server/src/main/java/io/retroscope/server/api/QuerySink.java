// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A writer of a historical result in the requested format. Used by one thread. */
final class QuerySink implements RowSink {
  /** The interval at which the presence of the client is checked. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Answer answer;
  private final AnswerForm form;
  private final Metrics metrics;
  private final MonotonicClock clock;
  private final long deadlineNanos;
  private final BooleanSupplier clientGone;
  private final ComputingTurns.Turn turn;
  private long lookedNanos;
  private boolean gone;
  private boolean hasRows;

  QuerySink(
      Answer answer,
      AnswerForm form,
      BooleanSupplier clientGone,
      ComputingTurns.Turn turn,
      Metrics metrics,
      MonotonicClock clock,
      Duration time) {
    this.answer = answer;
    this.form = form;
    this.clientGone = clientGone;
    this.turn = turn;
    this.metrics = metrics;
    this.clock = clock;
    this.lookedNanos = clock.nanos();
    this.deadlineNanos = lookedNanos + time.toNanos();
  }

  @Override
  public void columns(List<Column> columns) {
    form.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    hasRows = true;
    metrics.increment(Count.ROWS);
    return form.row(row);
  }

  @Override
  public boolean cells(RowCells cells) {
    hasRows = true;
    metrics.increment(Count.ROWS);
    return form.cells(cells);
  }

  @Override
  public void warning(String message) {
    form.warning(message);
  }

  @Override
  public void progress(long cuts, long hlc) {
    form.progress(cuts, hlc);
    answer.send();
  }

  @Override
  public boolean cancelled() {
    turn.next();
    long now = clock.nanos();
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      gone = clientGone.getAsBoolean() || answer.isRevoked();
    }
    return gone || answer.isBroken() || now - deadlineNanos > 0;
  }

  /** Whether a row was received, which must not be lost if an error follows. */
  boolean hasRows() {
    return hasRows;
  }

  boolean isOverdue() {
    return clock.nanos() - deadlineNanos > 0;
  }

  /** Ends a result that is complete. */
  void end() {
    form.end();
    answer.send();
  }

  /** Ends a result that failed after its first rows were sent. */
  void problem(RqlException error) {
    Diagnostic first = error.diagnostics().get(0);
    form.problem(ProblemJson.text(422, error), first.code() + ": " + first.message());
    answer.send();
  }

  /** Ends a result that failed after its first rows were sent. */
  void problem(int status, String title, String detail) {
    form.problem(ProblemJson.text(status, title, detail), title + ": " + detail);
    answer.send();
  }
}
