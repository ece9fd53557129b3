// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.engine.completeness.MissingNodes;
import io.retroscope.rql.engine.response.ResponsePattern;
import io.retroscope.rql.engine.run.AfterStamp;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.CompiledQuery;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of a walk's questions at one cut after another, which begins and ends their runs.
 * Used by one thread.
 */
final class CutEvaluation {
  private static final int TIME_CELL = 1;

  private final CompiledQuery clauses;
  private final CutState state;
  private final boolean followsRuns;
  private final WalkOutput output;
  private final Deadlines deadlines;
  private final MissingNodes missing;
  private final CutErrors errors;
  private final WorkMeter work;
  private final RowCells cells = new RowCells();
  private ClockOffsets clockOffsets = ClockOffsets.UNKNOWN;

  /** The questions whose WHEN held just before the range, until its first cut was evaluated. */
  private final Set<Object> heldBefore = new HashSet<>();

  private long ordinalHlc;
  private int ordinal;

  CutEvaluation(
      BoundPlan plan,
      WalkOutput output,
      Deadlines deadlines,
      MissingNodes missing,
      CutErrors errors,
      WorkMeter work) {
    this.clauses = plan.clauses();
    this.state = plan.state();
    this.followsRuns = plan.output().followsRuns();
    this.output = output;
    this.deadlines = deadlines;
    this.missing = missing;
    this.errors = errors;
    this.work = work;
  }

  /** Sets the clocks for the times of the next cuts. */
  void setClockOffsets(ClockOffsets offsets) {
    clockOffsets = offsets;
  }

  /**
   * Evaluates questions at a cut.
   *
   * @param all the questions of the walk
   * @param atStart selects those for which the cut only starts the range
   */
  void evaluate(Questions all, List<Question> questions, long hlc, Predicate<Question> atStart) {
    for (Question question : questions) {
      if (!output.isFinished()) {
        work.add(1);
        Value[] before = errors.before(question.frame());
        try {
          evaluate(question, hlc, atStart.test(question));
        } catch (EvaluationException e) {
          errors.skip(e, question.frame(), before);
        }
      }
    }
    if (!heldBefore.isEmpty()) {
      heldBefore.clear();
    }
    if (followsRuns && state.hasMomentary()) {
      endMomentaryRuns(all, questions, hlc);
    }
  }

  private void endMomentaryRuns(Questions all, List<Question> questions, long hlc) {
    state.showMomentary(false);
    all.meetAfter();
    state.showMomentary(true);
    for (Question question : questions) {
      ResponsePattern response = question.response();
      boolean observed = response != null && response.observedAt(hlc);
      if (!output.isFinished() && (observed || question.run().heldAt(hlc))) {
        Value[] before = errors.before(question.frame());
        try {
          endIfMomentary(question, hlc);
        } catch (EvaluationException e) {
          errors.skip(e, question.frame(), before);
        }
      }
    }
  }

  /** Evaluates only what AFTER expects, at a cut before the range. */
  void evaluateEarlier(Questions all, List<Question> questions, long hlc) {
    for (Question question : questions) {
      Frame frame = question.frame();
      Value[] before = errors.before(frame);
      try {
        frame.setClockOffsets(clockOffsets);
        frame.beginCut();
        clauses.computeAgain(frame);
        pattern(question).observeEarlier(hlc, clauses.expected(frame));
      } catch (EvaluationException e) {
        errors.skip(e, frame, before);
      }
    }
    if (state.hasMomentary()) {
      endMomentaryRuns(all, questions, hlc);
    }
  }

  /**
   * Evaluates WHEN in the state just before the range, where it may have held already. An error
   * there is not one of the range.
   */
  void evaluateBefore(Question question) {
    Frame frame = question.frame();
    frame.setClockOffsets(clockOffsets);
    frame.beginCut();
    Value[] declared = clauses.declared(frame);
    try {
      if (clauses.stillHolds(frame)) {
        heldBefore.add(question.key());
      }
    } catch (EvaluationException e) {
      heldBefore.remove(question.key());
    } finally {
      clauses.restore(frame, declared);
    }
  }

  private static ResponsePattern pattern(Question question) {
    if (question.response() == null) {
      throw new AssertionError("nothing is read before the range without AFTER");
    }
    return question.response();
  }

  private void evaluate(Question question, long hlc, boolean atStart) {
    Frame frame = question.frame();
    frame.setClockOffsets(clockOffsets);
    frame.beginCut();
    boolean holds = question.isPresent() ? clauses.holds(frame) : absent(frame);
    ResponsePattern response = question.response();
    if (response != null) {
      response.observe(hlc, clauses.expected(frame), clauses.excused(frame));
      response.setHeldBefore(heldBefore.contains(question.key()));
    }
    follow(question, hlc, atStart, holds);
    if (response != null) {
      response.settle(hlc);
      deadlines.await(question);
    }
  }

  /** Without its element a question has no WHEN, but what THEN expects may still come. */
  private boolean absent(Frame frame) {
    clauses.computeAgain(frame);
    return false;
  }

  private void follow(Question question, long hlc, boolean atStart, boolean holds) {
    Frame frame = question.frame();
    CutRun run = question.run();
    SortedSet<String> missingNow = missing.now();
    if (holds && run.takesCells()) {
      run.holdsAt(cells(frame, hlc));
      deadlines.await(question);
    } else if (holds) {
      CutRow row = run.wantsRow(atStart) ? row(frame, hlc, missingNow) : null;
      if (followsRuns && !run.holds()) {
        output.runBegan(hlc);
      }
      run.holdsAt(hlc, row, missingNow, atStart);
      deadlines.await(question);
    } else if (run.holds()) {
      end(question, hlc, missingNow);
    }
  }

  private void end(Question question, long hlc, SortedSet<String> missingNow) {
    CutRow row = question.run().wantsEnd() ? row(question.frame(), hlc, missingNow) : null;
    if (followsRuns) {
      output.runEnded(question.run().startHlc());
    }
    question.run().endsAt(hlc, time(hlc), missingNow, row);
  }

  private void endIfMomentary(Question question, long hlc) {
    AfterStamp after = AfterStamp.of(clauses, state, question.frame(), question.isPresent());
    if (question.response() != null) {
      question.response().observeAfter(after.expected(), after.excused());
    }
    if (!after.holds() && question.run().heldAt(hlc)) {
      end(question, hlc, missing.now());
    }
  }

  /** Whether the first cut has yet to learn what held before the range. */
  boolean isAtFirstCut() {
    return !heldBefore.isEmpty();
  }

  /** The nodes that are missing at present. */
  SortedSet<String> missing() {
    return missing.now();
  }

  /** Returns the row of the present cut. */
  CutRow rowOfCut(Frame frame, long hlc) {
    return row(frame, hlc, missing.now());
  }

  /**
   * Returns the row of a stamp from the last cut on; null if it has an error that ON ERROR SKIP
   * skips.
   */
  @Nullable CutRow rowAfterCut(Frame frame, long hlc) {
    if (state.hlc() != hlc) {
      state.begin(hlc); // Otherwise it is the present cut, which others still evaluate.
    }
    frame.beginCut();
    Value[] declared = clauses.declared(frame);
    try {
      clauses.computeAgain(frame);
      return row(frame, hlc, missing.now());
    } catch (EvaluationException e) {
      errors.skip(e, hlc);
      return null;
    } finally {
      clauses.restore(frame, declared);
    }
  }

  private CutRow row(Frame frame, long hlc, SortedSet<String> missingNow) {
    List<Value> items = clauses.items(frame);
    var note = clauses.note(frame);
    return new CutRow(hlc, nextOrdinal(hlc), time(hlc), items, note, missingNow);
  }

  /** Returns the row of the present cut as cells, which {@code ResultColumns} lays out alike. */
  private RowCells cells(Frame frame, long hlc) {
    cells.clear();
    cells.addStamp(hlc);
    cells.addTime(0);
    cells.add(NullValue.NULL);
    clauses.fill(frame, cells);
    Optional<Note> note = clauses.note(frame);
    cells.identify(hlc, nextOrdinal(hlc), note);
    CutTime time = time(hlc);
    cells.setNumber(TIME_CELL, time.micros());
    if (time.uncertaintyMicros().isPresent()) {
      cells.setLong(TIME_CELL + 1, time.uncertaintyMicros().getAsLong());
    }
    return cells;
  }

  /** The time of the present cut, of the stamp alone if no event made it. */
  CutTime time(long hlc) {
    return state.origin().time(hlc, clockOffsets);
  }

  private int nextOrdinal(long hlc) {
    if (hlc != ordinalHlc) {
      ordinalHlc = hlc;
      ordinal = 0;
    }
    return ordinal++;
  }
}
