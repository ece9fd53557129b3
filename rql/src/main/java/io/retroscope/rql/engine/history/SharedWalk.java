// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.SharedCaveats;
import io.retroscope.rql.engine.slice.WalkFigures;
import io.retroscope.rql.engine.statement.StackGuard;
import io.retroscope.rql.engine.walk.AgeAlarms;
import io.retroscope.rql.engine.walk.JointRule;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.engine.walk.Track;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One walk over history for several queries that have the same state and the same range. Used by
 * one thread.
 *
 * <p>Each query gets the rows, the warnings and the error of its own walk. One that needs no more
 * rows, or fails, leaves; the walk continues for the others.
 */
final class SharedWalk implements CutListener, Track {
  /*
   * The walk passes over cuts and blocks for which the rules of all queries allow it. At any other
   * cut, each query's own rule is evaluated over the present state, where it is exact: only those
   * queries evaluate the cut for which something may happen. A query that is alone gets each cut that
   * its rule has not passed.
   *
   * A stamp at which only time makes a cut is one for the queries whose timers fired.
   */
  private final View view;
  private final long end;
  private final BoundPlan plan;
  private final List<Member> members = new ArrayList<>();

  /** The members that want more, in any order. */
  private Member[] active = new Member[0];

  private int activeCount;
  private final JointRule jointRule = new JointRule();

  /** Whether the joint rule consists of the present rules of all active members. */
  private boolean isJoint;

  private final AgeAlarms alarms;
  private final @Nullable LiveNodes liveNodes;
  private final CutWalker walker;

  /** A query, the range of its advance, and the receiver of its error. */
  private static final class Member {
    private final QueryWalk walk;
    private final HlcRange range;
    private final Consumer<RqlException> failures;
    private @Nullable QuietRule rule;
    private QuietRule.@Nullable Limit limit;
    private boolean wantsMore = true;

    Member(QueryWalk walk, HlcRange range, Consumer<RqlException> failures) {
      this.walk = walk;
      this.range = range;
      this.failures = failures;
    }
  }

  /** A part of a walk, as one query receives it. */
  private interface Step {
    /** Returns whether the query wants more. */
    boolean of(QueryWalk walk, long hlc);
  }

  /**
   * A walk that has not begun.
   *
   * @param plan the plan of the first query, which has a history
   */
  SharedWalk(View view, BoundPlan plan, QueryLimits limits) {
    this.view = view;
    this.plan = plan;
    this.end = plan.slice().history().orElseThrow().to();
    this.alarms = new AgeAlarms(plan.state().signs());
    this.liveNodes =
        plan.input().liveNodes()
            ? new LiveNodes(plan.state(), new SilenceLimits(limits.idleTimeoutMicros()))
            : null;
    this.walker =
        new CutWalker(
            plan.batch(),
            plan.input().logs(),
            plan.input().usesAges(),
            plan.plan().readsFrom(),
            plan.slice().start(),
            alarms,
            liveNodes,
            this);
  }

  @Override
  public CutWalker walker() {
    return walker;
  }

  @Override
  public AgeAlarms alarms() {
    return alarms;
  }

  @Override
  public @Nullable LiveNodes liveNodes() {
    return liveNodes;
  }

  /**
   * Adds a query, after its {@link QueryWalk#begin}.
   *
   * @param failures receives its error, if it fails
   */
  void add(QueryWalk walk, SharedCaveats caveats, Consumer<RqlException> failures) {
    if (members.isEmpty()) {
      walker.follow(walk.silences().nodes());
    }
    Member member = new Member(walk, walk.prepare(view, end, caveats), failures);
    members.add(member);
    if (walk.isFinished()) {
      member.wantsMore = false;
      walk.timers().close();
      close(member);
    } else {
      active = Arrays.copyOf(active, activeCount + 1);
      active[activeCount++] = member;
    }
  }

  /** Walks up to a stamp, or to the end of the range if that is sooner. */
  void walkTo(long stop) {
    walk(Math.min(stop, end));
  }

  private void walk(long until) {
    if (activeCount > 0) {
      walker.walkTo(view, until);
    }
  }

  /** Walks to the end of the range, and ends all queries. */
  void finish() {
    walk(end);
    if (activeCount > 0) {
      walker.endAt(end);
    }
    for (Member member : members) {
      if (member.wantsMore) {
        member.wantsMore = false;
        close(member);
      }
    }
    activeCount = 0;
  }

  /** Takes a step with each query that wants more; returns whether any still does. */
  private boolean step(Step step, long hlc) {
    int kept = 0;
    int count = activeCount;
    for (int i = 0; i < count; i++) {
      Member member = active[i];
      if (!wantsMore(member, step, hlc)) {
        member.wantsMore = false;
        member.walk.timers().close();
      } else {
        active[kept++] = member;
      }
    }
    activeCount = kept;
    if (kept < count) {
      isJoint = false;
    }
    return kept > 0;
  }

  private boolean wantsMore(Member member, Step step, long hlc) {
    try {
      if (step.of(member.walk, hlc)) {
        return true;
      }
      member.walk.finish();
    } catch (WorkMeter.CancelledException e) {
      member.walk.finish();
    } catch (RqlException | StackOverflowError e) {
      fail(member, e);
      return false;
    }
    close(member);
    return false;
  }

  private void close(Member member) {
    try {
      member.walk.settle(view, member.range);
      member.walk.end(end);
    } catch (RqlException | StackOverflowError e) {
      fail(member, e);
    }
  }

  private void fail(Member member, Throwable e) {
    member.failures.accept(
        e instanceof RqlException own ? own : StackGuard.failure(member.walk.text()));
    // The other queries continue with the state that this one may have changed for a moment.
    plan.state().showMomentary(true);
  }

  /** The cost of the walk; the cuts are those of all queries. */
  WalkFigures figures() {
    WalkFigures sum = WalkFigures.NONE;
    for (Member member : members) {
      sum = sum.plus(member.walk.figures());
    }
    return new WalkFigures(
        sum.cuts(), sum.passedCuts(), walker.eventsRead(), walker.blocksPassed());
  }

  /** The plan of the first query. */
  BoundPlan plan() {
    return plan;
  }

  /** The number of queries. */
  int size() {
    return members.size();
  }

  @Override
  public void silent(long hlc, List<SilentNode> nodes) {
    for (int i = 0; i < activeCount; i++) {
      active[i].walk.silent(hlc, nodes);
    }
  }

  @Override
  public void earlier(long hlc) {
    boolean isLookingBack = hlc < plan.plan().readsFrom();
    step(
        (walk, stamp) -> {
          if (isLookingBack || walk.isAtCut()) {
            walk.earlier(stamp);
          }
          return true;
        },
        hlc);
  }

  @Override
  public void beforeStart() {
    step(
        (walk, stamp) -> {
          walk.beforeStart();
          return true;
        },
        plan.slice().start());
  }

  @Override
  public boolean start(long hlc) {
    return step(QueryWalk::start, hlc);
  }

  @Override
  public boolean cut(long hlc) {
    return step(this::cut, hlc);
  }

  /** A stamp that is no cut of a query may still be the start of its range. */
  private boolean cut(QueryWalk walk, long hlc) {
    if (!walk.isAtCut()) {
      return hlc != plan.slice().start() || walk.start(hlc);
    }
    return activeCount == 1 ? walk.cut(hlc) : walk.cutUnlessQuiet(hlc);
  }

  @Override
  public boolean reached(long hlc) {
    return step(QueryWalk::reached, hlc);
  }

  @Override
  public boolean passed(long cuts, long events, long lastCut, long hlc) {
    return step((walk, stamp) -> walk.passed(cuts, events, lastCut, stamp), hlc);
  }

  @Override
  public @Nullable QuietRule quietRule() {
    for (int i = 0; i < activeCount; i++) {
      Member member = active[i];
      QuietRule rule = member.walk.quietRule();
      if (rule == null) {
        return null;
      }
      if (rule != member.rule) {
        member.rule = rule;
        member.limit = rule.limit();
        isJoint = false;
      }
    }
    if (!isJoint) {
      join();
    }
    return activeCount == 1 ? active[0].rule : jointRule;
  }

  private void join() {
    jointRule.clear();
    for (int i = 0; i < activeCount; i++) {
      QuietRule rule = active[i].rule;
      if (rule != null) {
        jointRule.add(rule, active[i].limit);
      }
    }
    isJoint = true;
  }

  @Override
  public long deadline() {
    long first = CutTimers.NEVER;
    for (int i = 0; i < activeCount; i++) {
      first = Math.min(first, active[i].walk.deadline());
    }
    return first;
  }

  @Override
  public boolean isCancelled() {
    for (int i = 0; i < activeCount; i++) {
      if (!active[i].walk.isCancelled()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void warning(EventWarning warning) {
    for (int i = 0; i < activeCount; i++) {
      active[i].walk.warning(warning);
    }
  }
}
