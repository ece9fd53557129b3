// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Optional;

/** The cut at which all nodes are known and none has written anything. */
final class EmptyStart {
  private EmptyStart() {}

  /**
   * Returns a warning if WHEN is TRUE there, as a count that is below a limit is: such a claim says
   * something about the beginning that its author hardly meant. Elements of FOR EACH are present at
   * a later cut only.
   */
  static Optional<String> doubt(
      Claim kind, BoundPlan plan, QueryLimits limits, EventSource.View view) {
    boolean isAsked =
        plan.query().query().when().isPresent()
            && plan.query().query().forEach().isEmpty()
            && !plan.input().variables().isEmpty();
    return isAsked && holds(plan.plan().bind(limits), view)
        ? Optional.of(sentence(kind, plan))
        : Optional.empty();
  }

  private static boolean holds(BoundPlan plan, EventSource.View view) {
    Catalog.of(view).nodeNames().forEach(plan.state()::meet);
    plan.state().begin(plan.slice().start());
    WorkMeter work = new WorkMeter(() -> false);
    Frame frame = new Frame(plan.state(), null, null, plan.clauses().slotCount(), work);
    frame.beginCut();
    try {
      return plan.clauses().holds(frame);
    } catch (EvaluationException e) {
      return false; // At a real cut it fails as well, and says so.
    }
  }

  private static String sentence(Claim kind, BoundPlan plan) {
    String first = plan.input().variables().iterator().next().name();
    boolean isBrokenWhereFalse = kind == Claim.ALWAYS && plan.query().response().isEmpty();
    return isBrokenWhereFalse
        ? "the predicate is FALSE even before any node has written %s; if that is not meant, add OR COUNT(%s) = 0"
            .formatted(first, first)
        : "the predicate is TRUE even before any node has written %s; if that is not meant, add AND COUNT(%s) > 0"
            .formatted(first, first);
  }
}
