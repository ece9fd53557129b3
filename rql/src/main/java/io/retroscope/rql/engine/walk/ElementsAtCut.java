// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.evaluation.EachElement;
import io.retroscope.rql.evaluation.ElementKeys;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The elements of FOR EACH NODE or FOR EACH VALUE in the present cut. Used by one thread. */
final class ElementsAtCut {
  private final BoundPlan plan;
  private final EachElement each;
  private final Frame frame;
  private final CutErrors errors;
  private final int maxElements;

  private ElementsAtCut(
      BoundPlan plan, EachElement each, Frame frame, CutErrors errors, int maxElements) {
    this.plan = plan;
    this.each = each;
    this.frame = frame;
    this.errors = errors;
    this.maxElements = maxElements;
  }

  /** The elements of a plan's FOR EACH; null without it, and for variables. */
  static @Nullable ElementsAtCut of(
      BoundPlan plan,
      @Nullable LiveNodes liveNodes,
      WorkMeter work,
      CutErrors errors,
      QueryLimits limits) {
    EachElement each = plan.clauses().eachElement();
    if (each == null) {
      return null;
    }
    Frame frame = new Frame(plan.state(), liveNodes, null, plan.clauses().slotCount(), work);
    return new ElementsAtCut(plan, each, frame, errors, limits.evaluation().maxVariables());
  }

  /** The packed stamp of the cut. */
  long hlc() {
    return plan.state().hlc();
  }

  /** The distinct elements; null if there is an error that ON ERROR SKIP skips. */
  @Nullable List<Value> now() {
    frame.beginCut();
    try {
      return each.now(frame);
    } catch (EvaluationException e) {
      errors.skip(e, plan.state().hlc());
      return null;
    }
  }

  /** The distinct elements in a state that is no cut; none if there is an error. */
  List<Value> before() {
    frame.beginCut();
    try {
      return each.now(frame);
    } catch (EvaluationException e) {
      return List.of();
    }
  }

  /**
   * Returns the values among which an element must be for THEN, AFTER or UNLESS to be TRUE; null if
   * it may be any, or if some element of a type makes them fail.
   *
   * @param families the types of the elements, of which all must be comparable with the values
   */
  @Nullable Set<Value> keys(Set<Integer> families) {
    if (plan.query().response().isEmpty()) {
      return Set.of();
    }
    List<ElementKeys> all = plan.clauses().elementKeys();
    if (all.isEmpty()) {
      return null;
    }
    Set<Value> keys = new TreeSet<>();
    Set<Integer> comparable = new HashSet<>(families);
    frame.beginCut();
    try {
      all.forEach(some -> some.gather(frame, keys, comparable));
    } catch (EvaluationException e) {
      return null; // The evaluation of any question fails in the same way.
    }
    return comparable.size() == families.size() ? keys : null;
  }

  /** Ends the query if it holds too many elements. */
  void checkNumber(int held) {
    if (held > maxElements) {
      throw errors.failure(
          new EvaluationException(ErrorCode.TOO_MANY_ELEMENTS, maxElements)
              .at(plan.query().query().forEach().orElseThrow().range()));
    }
  }
}
