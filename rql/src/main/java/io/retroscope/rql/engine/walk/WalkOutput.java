// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.engine.completeness.SilenceWarnings;
import io.retroscope.rql.engine.run.Emissions;
import io.retroscope.rql.engine.run.Emitted;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Optional;

/**
 * The rows of a walk, up to its LIMIT, and the place that they have reached. Used by one thread.
 */
final class WalkOutput implements Emissions.Outlet {
  private final RowSink sink;
  private final SilenceWarnings silences;
  private final Emitted emitted;
  private final long limit;
  private final int maxHeldRows;
  private long rows;
  private int heldRows;
  private boolean finished;

  /**
   * Creates an output without rows.
   *
   * @param resumed the place up to which rows have been sent already
   * @param silences receives the stamp of each row
   */
  WalkOutput(
      BoundPlan plan,
      QueryLimits limits,
      Optional<StreamPlace> resumed,
      SilenceWarnings silences,
      RowSink sink) {
    this.sink = sink;
    this.silences = silences;
    this.limit = plan.output().limit();
    this.maxHeldRows = limits.evaluation().maxHeldRows();
    boolean isFromStart =
        plan.output().keepsState() || plan.query().response().isPresent() || limit < Long.MAX_VALUE;
    this.emitted = new Emitted(plan.slice().start(), isFromStart, resumed);
    this.finished = limit == 0;
  }

  @Override
  public void send(Row row) {
    if (finished) {
      return;
    }
    rows++;
    boolean wanted = true;
    if (emitted.add()) {
      silences.row(row.hlc());
      sink.place(emitted.place());
      wanted = sink.row(row);
    }
    finished = !wanted || rows >= limit;
  }

  @Override
  public void send(RowCells cells) {
    if (finished) {
      return;
    }
    rows++;
    boolean wanted = true;
    if (emitted.add()) {
      silences.row(cells.hlc());
      sink.place(emitted.place());
      wanted = sink.cells(cells);
    }
    finished = !wanted || rows >= limit;
  }

  @Override
  public void held(int count) {
    heldRows += count;
    if (heldRows > maxHeldRows) {
      throw new EvaluationException(ErrorCode.TOO_MANY_HELD_ROWS, maxHeldRows);
    }
  }

  /** Records that all rows below a stamp are sent. */
  void reached(long hlc) {
    emitted.reached(hlc);
  }

  /** Notes a cut that is evaluated next, or for which a rule has decided. */
  void cut(long hlc) {
    emitted.cut(hlc);
  }

  void runBegan(long hlc) {
    emitted.runBegan(hlc);
  }

  void runEnded(long beganAt) {
    emitted.runEnded(beganAt);
  }

  /** Reports the place and the progress. */
  void report(long cuts, long hlc) {
    sink.place(emitted.place());
    sink.progress(cuts, hlc);
  }

  /** Ends the output. */
  void finish() {
    finished = true;
  }

  /** Whether no more rows are wanted. */
  boolean isFinished() {
    return finished;
  }

  long rows() {
    return rows;
  }

  StreamPlace place() {
    return emitted.place();
  }
}
