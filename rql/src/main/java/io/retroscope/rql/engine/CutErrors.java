package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.plan.QueryPlan;
import java.util.List;

/**
 * The treatment of errors in cuts: an error ends the query or, with ON ERROR SKIP, leaves the cut
 * out. Used by one thread.
 */
final class CutErrors {
  private final QueryPlan plan;
  private final RowSink sink;
  private final boolean skips;
  private long skipped;

  CutErrors(QueryPlan plan, RowSink sink) {
    this.plan = plan;
    this.sink = sink;
    this.skips = plan.query().query().onErrorSkip();
  }

  /** Evaluates a question, and puts its declared names back if the cut is left out. */
  void guard(Frame frame, Runnable evaluation) {
    Value[] declared = skips ? plan.clauses().declared(frame) : new Value[0];
    try {
      evaluation.run();
    } catch (EvaluationException e) {
      if (!skips || e.isLimit()) {
        throw failure(e);
      }
      plan.clauses().restore(frame, declared);
      if (skipped++ == 0) {
        sink.warning("skipped: " + e.inCut(cutText()).message());
      }
    }
  }

  /** Returns the error that ends the query, with its place and its cut. */
  RqlException failure(EvaluationException e) {
    Diagnostic diagnostic = e.at(plan.query().query().range()).inCut(cutText());
    return new RqlException(plan.text(), List.of(diagnostic));
  }

  private String cutText() {
    return ", in the cut at " + new HlcTimestamp(plan.state().hlc());
  }

  /** Sends the number of cuts that were left out. */
  void close() {
    if (skipped > 0) {
      sink.warning(skipped + (skipped == 1 ? " cut was" : " cuts were") + " skipped in all");
      skipped = 0;
    }
  }
}
