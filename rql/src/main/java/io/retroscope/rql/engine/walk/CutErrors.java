// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.plan.BoundPlan;
import java.util.List;

/**
 * The treatment of errors in cuts: an error ends the query or, with ON ERROR SKIP, leaves the cut
 * out. Used by one thread.
 */
final class CutErrors {
  private static final Value[] NOTHING = {};

  private final BoundPlan plan;
  private final RowSink sink;
  private final boolean skips;
  private long skipped;
  private long lastSkippedHlc;

  CutErrors(BoundPlan plan, RowSink sink) {
    this.plan = plan;
    this.sink = sink;
    this.skips = plan.query().query().onErrorSkip();
  }

  /** The declared names before an evaluation, for {@link #skip}. */
  Value[] before(Frame frame) {
    return skips ? plan.clauses().declared(frame) : NOTHING;
  }

  /**
   * Leaves a cut out after an error, and puts the declared names back.
   *
   * @throws RqlException if the error ends the query
   */
  void skip(EvaluationException e, Frame frame, Value[] before) {
    skip(e, plan.state().hlc());
    plan.clauses().restore(frame, before);
  }

  /**
   * Leaves out a cut at which nothing has to be put back.
   *
   * @param hlc packed, the stamp that the error names
   * @throws RqlException if the error ends the query
   */
  void skip(EvaluationException e, long hlc) {
    if (!skips || e.isLimit()) {
      throw failure(e, hlc);
    }
    if (skipped == 0) {
      sink.warning("skipped: " + e.inCut(cutText(hlc)).message());
    }
    // Several questions of FOR EACH may fail in one cut.
    skipped += skipped > 0 && hlc == lastSkippedHlc ? 0 : 1;
    lastSkippedHlc = hlc;
  }

  /** Returns the error that ends the query, with its place and its cut. */
  RqlException failure(EvaluationException e) {
    return failure(e, plan.state().hlc());
  }

  private RqlException failure(EvaluationException e, long hlc) {
    Diagnostic diagnostic = e.at(plan.query().query().range()).inCut(cutText(hlc));
    return new RqlException(plan.text(), List.of(diagnostic));
  }

  private static String cutText(long hlc) {
    return ", in the cut at " + new HlcTimestamp(hlc);
  }

  /** Sends the number of cuts that were left out. */
  void close() {
    if (skipped > 0) {
      sink.warning(skipped + (skipped == 1 ? " cut was" : " cuts were") + " skipped in all");
      skipped = 0;
    }
  }
}
