// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.engine.completeness.SilenceWarnings;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.engine.slice.SliceItem;
import io.retroscope.rql.engine.slice.SliceReceiver;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Collections;
import java.util.SortedSet;

/**
 * The runs, rows and warnings of a walk, from the items of its slices in order. Used by one thread.
 */
final class SliceStitch implements SliceReceiver {
  /*
   * The items take the same way as the cuts of an undivided walk: through the one run of the
   * question, its emission and the output. So INTERVALS, EDGES, FOR and LIMIT need no other code, and
   * only here is it known which of the rows that a slice offers are needed.
   */
  private static final SortedSet<String> NONE_MISSING = Collections.emptySortedSet();

  private final Question question;
  private final CutRun run;
  private final boolean followsRuns;
  private final WalkOutput output;
  private final Deadlines deadlines;
  private final CutErrors errors;
  private final SilenceWarnings silences;
  private final RowSink sink;
  private final EventWarning.Made warned = new EventWarning.Made();
  private long finishedCuts;
  private long lastCut = HlcTimestamp.MIN_PACKED;
  private long ordinalHlc;
  private int ordinal;

  SliceStitch(
      BoundPlan plan,
      Question question,
      WalkOutput output,
      Deadlines deadlines,
      CutErrors errors,
      SilenceWarnings silences,
      RowSink sink) {
    this.question = question;
    this.run = question.run();
    this.followsRuns = plan.output().followsRuns();
    this.output = output;
    this.deadlines = deadlines;
    this.errors = errors;
    this.silences = silences;
    this.sink = sink;
  }

  /**
   * The packed stamp of the last cut that is known to be above all others so far, {@link
   * HlcTimestamp#MIN_PACKED} without one.
   */
  long lastCut() {
    return lastCut;
  }

  @Override
  public boolean isCancelled() {
    if (sink.cancelled()) {
      output.finish();
    }
    return output.isFinished();
  }

  @Override
  public boolean take(SliceItem item) {
    if (item instanceof SliceItem.OfCut cut) {
      deadlines.reached(cut.hlc(), output);
      if (!output.isFinished()) {
        silences.moveTo(cut.hlc());
        silences.setValued(cut.valued());
        lastCut = cut.hlc();
        takeCut(cut);
      }
    } else if (item instanceof SliceItem.Warns warns && warned.add(warns.warning())) {
      sink.warning(warns.warning().sentence());
    } else if (item instanceof SliceItem.Progress progress) {
      output.report(finishedCuts + progress.cuts(), progress.hlc());
    } else if (item instanceof SliceItem.Finished finished) {
      finishedCuts += finished.cuts();
      lastCut = Math.max(lastCut, finished.lastCut());
      deadlines.reached(finished.hlc(), output);
      silences.setValued(finished.valued());
    }
    return !output.isFinished();
  }

  private void takeCut(SliceItem.OfCut cut) {
    try {
      if (cut instanceof SliceItem.Holds holds) {
        holds(holds);
      } else if (cut instanceof SliceItem.StillHolds still) {
        run.holdsThrough(still.hlc(), still.cuts(), NONE_MISSING);
      } else if (cut instanceof SliceItem.Ends ends) {
        ends(ends);
      } else if (cut instanceof SliceItem.Fails fails) {
        throw fails.failure();
      }
    } catch (EvaluationException e) {
      errors.skip(e, cut.hlc());
    }
  }

  private void holds(SliceItem.Holds holds) {
    CutRow row = run.wantsRow(holds.atStart()) ? needed(holds.row(), holds.hlc()) : null;
    if (followsRuns && !run.holds()) {
      output.runBegan(holds.hlc());
    }
    run.holdsAt(holds.hlc(), row, NONE_MISSING, holds.atStart());
    deadlines.await(question);
  }

  private void ends(SliceItem.Ends ends) {
    if (!run.holds() || (ends.momentary() && !run.heldAt(ends.hlc()))) {
      return;
    }
    CutRow row = run.wantsEnd() ? needed(ends.row(), ends.hlc()) : null;
    output.runEnded(run.startHlc());
    run.endsAt(ends.hlc(), ends.time(), NONE_MISSING, row);
  }

  private CutRow needed(SliceItem.MaybeRow row, long hlc) {
    if (row.failure() != null) {
      throw row.failure();
    }
    if (row.row() == null) {
      throw new AssertionError("a slice left out a row that is needed");
    }
    return row.row().numbered(nextOrdinal(hlc));
  }

  private int nextOrdinal(long hlc) {
    if (hlc != ordinalHlc) {
      ordinalHlc = hlc;
      ordinal = 0;
    }
    return ordinal++;
  }
}
