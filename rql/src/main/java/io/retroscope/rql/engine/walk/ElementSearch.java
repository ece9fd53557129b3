// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.evaluation.EachElement;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A walk that finds all elements of FOR EACH in a range of history. An error is left to the walk
 * that evaluates the cuts. Used by one thread.
 */
final class ElementSearch implements CutListener {
  private final BoundPlan plan;
  private final RowSink sink;
  private final EachElement each;
  private final Frame frame;
  private final CutWalker walker;
  private final int maxElements;
  private final TreeSet<Value> found = new TreeSet<>();

  /**
   * Creates a search.
   *
   * @param plan over a state of its own
   */
  ElementSearch(BoundPlan plan, QueryLimits limits, RowSink sink) {
    this.plan = plan;
    this.sink = sink;
    this.maxElements = limits.evaluation().maxVariables();
    this.each = each(plan);
    boolean live = plan.input().liveNodes();
    @Nullable LiveNodes nodes =
        live ? new LiveNodes(plan.state(), new SilenceLimits(limits.idleTimeoutMicros())) : null;
    WorkMeter work = new WorkMeter(sink::cancelled);
    this.frame = new Frame(plan.state(), nodes, null, plan.clauses().slotCount(), work);
    plan.input().variables().forEach(v -> plan.state().follow(v.log(), v.name()));
    long start = plan.slice().start();
    this.walker =
        new CutWalker(
            plan.batch(), plan.input().logs(), false, start, start, CutTimers.NONE, nodes, this);
  }

  private static EachElement each(BoundPlan plan) {
    EachElement each = plan.clauses().eachElement();
    if (each == null) {
      throw new AssertionError("a search without FOR EACH");
    }
    return each;
  }

  /** AFTER looks back from each element, so that all of them must be known before. */
  static void expectElements(
      BoundPlan plan,
      QueryLimits limits,
      RowSink sink,
      Questions questions,
      EventSource.View view,
      long end) {
    if (plan.slice().live()) {
      return;
    }
    boolean looksBack =
        plan.query().response().stream().anyMatch(clause -> clause.order() == Order.AFTER);
    if (looksBack && questions instanceof ElementQuestions elements) {
      elements.expect(new ElementSearch(plan.plan().bind(limits), limits, sink).search(view, end));
    }
  }

  /** Returns the elements of all cuts up to a stamp. */
  Collection<Value> search(EventSource.View view, long until) {
    walker.advance(view, until);
    return found;
  }

  private boolean add() {
    frame.beginCut();
    try {
      found.addAll(each.now(frame));
    } catch (EvaluationException e) {
      return true;
    }
    if (found.size() > maxElements) {
      throw new CutErrors(plan, sink)
          .failure(
              new EvaluationException(ErrorCode.TOO_MANY_ELEMENTS, maxElements)
                  .at(plan.query().query().forEach().orElseThrow().range()));
    }
    return !sink.cancelled();
  }

  @Override
  public boolean start(long hlc) {
    return add();
  }

  @Override
  public boolean cut(long hlc) {
    return add();
  }

  @Override
  public boolean reached(long hlc) {
    return true;
  }

  @Override
  public boolean isCancelled() {
    return sink.cancelled();
  }

  @Override
  public void warning(EventWarning warning) {}
}
