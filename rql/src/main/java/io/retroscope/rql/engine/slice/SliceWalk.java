// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.engine.completeness.ValuedNodes;
import io.retroscope.rql.engine.run.AfterStamp;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.CompiledQuery;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The walk over the cuts of one slice, without knowledge of the runs of the slices before it. Used
 * by one thread.
 */
final class SliceWalk implements CutListener {
  /*
   * Whether a run of cuts holds when the slice begins is not known, and so it is not known whether
   * the first TRUE begins a run, or the first FALSE ends one. Both are passed on with their rows, and
   * the stitch decides. After the first cut that was evaluated without an error it is known: TRUE
   * means that a run holds, wherever it began, and FALSE that none does. An error in a row matters
   * only if the row is needed. If that is not known, it is not known either what the cut did.
   */
  private final CompiledQuery clauses;
  private final CutState state;
  private final Frame frame;
  private final CutWalker walker;
  private final SliceFeed feed;
  private final HlcRange slice;
  private final WorkMeter work;
  private final ValuedNodes valued;
  private final SliceTimes times;
  private final boolean followsRuns;
  private final boolean wantsEachRow;
  private final boolean wantsEndRow;
  private final long forMicros;
  private final @Nullable QuietRule quietRule;
  private final @Nullable QuietRule stillTrue;

  private Holding holding;

  /** The packed stamp at or after the start of the run that holds. */
  private long heldFrom;

  /** Whether {@link #heldFrom} is the start of the run. */
  private boolean beganHere;

  private long cuts;
  private long passedCuts;
  private final StampCount stamps = new StampCount();
  private long lastCut = HlcTimestamp.MIN_PACKED;

  private enum Holding {
    UNKNOWN,
    NO,
    YES
  }

  /**
   * A walk that has not begun.
   *
   * @param plan one of its own
   * @param isFirst whether the slice begins where the range of the plan does
   */
  SliceWalk(BoundPlan plan, HlcRange slice, boolean isFirst, SliceTimes times, SliceFeed feed) {
    this.slice = slice;
    this.feed = feed;
    this.times = times;
    this.clauses = plan.clauses();
    this.state = plan.state();
    this.work = new WorkMeter(feed::isCancelled);
    this.frame = new Frame(state, null, null, clauses.slotCount(), work);
    this.valued = new ValuedNodes(plan);
    this.followsRuns = plan.output().followsRuns();
    this.wantsEachRow = plan.output().emit() == Emit.CUTS;
    this.wantsEndRow = plan.output().emit() == Emit.EDGES;
    this.forMicros = plan.output().forMicros().orElse(0);
    this.quietRule = plan.quietRule().orElse(null);
    this.stillTrue = quietRule == null || wantsEachRow ? null : quietRule.whileTrue();
    this.holding = isFirst || !followsRuns ? Holding.NO : Holding.UNKNOWN;
    this.walker =
        new CutWalker(
            plan.batch(),
            plan.input().logs(),
            plan.input().usesAges(),
            slice.from(),
            slice.from(),
            CutTimers.NONE,
            null,
            this);
    plan.input().variables().forEach(variable -> state.follow(variable.log(), variable.name()));
  }

  /** Walks to the end of the slice, unless the feed is cancelled before; returns whether it did. */
  boolean run(View view, boolean isFirst) {
    boolean ended = isFirst ? walker.advance(view, slice.to()) : walker.continueIn(view, slice);
    if (ended) {
      feed.add(new SliceItem.Finished(slice.to(), cuts, lastCut, valued.now()));
    }
    return ended;
  }

  /** The cost so far. */
  WalkFigures figures() {
    return new WalkFigures(cuts, passedCuts, walker.eventsRead(), walker.blocksPassed());
  }

  @Override
  public boolean start(long hlc) {
    if (followsRuns) {
      evaluate(hlc, true);
    }
    return !feed.isCancelled();
  }

  @Override
  public boolean cut(long hlc) {
    cuts++;
    lastCut = hlc;
    evaluate(hlc, false);
    return !feed.isStopped();
  }

  private void evaluate(long hlc, boolean atStart) {
    work.add(1);
    boolean holds;
    try {
      frame.setClockOffsets(times.clocks());
      frame.beginCut();
      holds = clauses.holds(frame);
    } catch (EvaluationException e) {
      feed.add(new SliceItem.Fails(hlc, e, valued.now()));
      return;
    }
    if (!holds) {
      ends(hlc, false);
    } else if (holds(hlc, atStart)
        && followsRuns
        && state.hasMomentary()
        && !AfterStamp.of(clauses, state, frame, true).holds()) {
      ends(hlc, true);
    }
  }

  /** Passes on a cut at which WHEN holds; returns whether a run may hold at it. */
  private boolean holds(long hlc, boolean atStart) {
    boolean wantsRow = wantsEachRow ? !atStart : holding != Holding.YES;
    SliceItem.MaybeRow row = wantsRow ? row(hlc) : SliceItem.MaybeRow.NONE;
    feed.add(
        holding == Holding.YES && !wantsEachRow
            ? new SliceItem.StillHolds(hlc, 1, valued.now())
            : new SliceItem.Holds(hlc, atStart, row, valued.now()));
    if (row.failure() != null) {
      // With a row that is wanted in any case, or no run before, the cut is surely left out.
      return !wantsEachRow && holding == Holding.UNKNOWN;
    }
    if (holding != Holding.YES) {
      heldFrom = hlc;
      beganHere = holding == Holding.NO;
      holding = Holding.YES;
    }
    return true;
  }

  /** Passes on a cut at which a run ends if there is one. */
  private void ends(long hlc, boolean momentary) {
    if (holding == Holding.NO || !followsRuns) {
      holding = Holding.NO;
      return;
    }
    boolean isQualified = holding == Holding.YES && hlc >= surelyQualifiedAt();
    boolean mayBeQualified = isQualified || holding == Holding.UNKNOWN || !beganHere;
    SliceItem.MaybeRow row = wantsEndRow && mayBeQualified ? row(hlc) : SliceItem.MaybeRow.NONE;
    CutTime time = times.of(hlc, state.origin());
    feed.add(new SliceItem.Ends(hlc, momentary, time, row, valued.now()));
    if (row.failure() == null) {
      holding = Holding.NO;
    } else if (!isQualified) {
      holding = Holding.UNKNOWN;
    }
  }

  /** A packed stamp at which the run that holds has surely lasted long enough. */
  private long surelyQualifiedAt() {
    return forMicros == 0 ? heldFrom : CutRun.deadline(heldFrom, forMicros);
  }

  private SliceItem.MaybeRow row(long hlc) {
    try {
      List<Value> items = clauses.items(frame);
      var note = clauses.note(frame);
      CutTime time = times.of(hlc, state.origin());
      return new SliceItem.MaybeRow(new CutRow(hlc, 0, time, items, note, new TreeSet<>()), null);
    } catch (EvaluationException e) {
      return new SliceItem.MaybeRow(null, e);
    }
  }

  @Override
  public boolean reached(long hlc) {
    return countStamps(1, hlc) && !feed.isStopped();
  }

  @Override
  public @Nullable QuietRule quietRule() {
    return switch (holding) {
      case UNKNOWN -> null;
      case NO -> quietRule;
      case YES -> stillTrue;
    };
  }

  @Override
  public boolean passed(long cutCount, long eventCount, long lastPassedCut, long hlc) {
    cuts += cutCount;
    passedCuts += cutCount;
    lastCut = cutCount > 0 ? lastPassedCut : lastCut;
    if (holding == Holding.YES && cutCount > 0) {
      feed.add(new SliceItem.StillHolds(lastCut, cutCount, valued.now()));
    }
    return countStamps(eventCount, hlc) && !feed.isStopped();
  }

  /** Reports progress from time to time; returns whether the walk continues. */
  private boolean countStamps(long more, long hlc) {
    if (!stamps.add(more)) {
      return true;
    }
    if (hlc > slice.from()) {
      // The cut at this stamp is still to come.
      feed.progress(new SliceItem.Progress(cuts, hlc - 1));
    }
    return !feed.isCancelled();
  }

  @Override
  public boolean isCancelled() {
    return feed.isCancelled();
  }

  @Override
  public void warning(EventWarning warning) {
    feed.add(new SliceItem.Warns(warning));
  }
}
