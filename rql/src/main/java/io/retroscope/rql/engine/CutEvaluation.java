package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.CutTime;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.CompiledQuery;
import io.retroscope.rql.plan.QueryPlan;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * The evaluation of a walk's questions at one cut after another, which begins and ends their runs.
 * Used by one thread.
 */
final class CutEvaluation {
  private final CompiledQuery clauses;
  private final CutState state;
  private final boolean followsRuns;
  private final WalkOutput output;
  private final Deadlines deadlines;
  private final MissingNodes missing;
  private final CutErrors errors;
  private final WorkMeter work;
  private ClockOffsets clockOffsets = ClockOffsets.UNKNOWN;
  private long ordinalHlc;
  private int ordinal;

  CutEvaluation(
      QueryPlan plan,
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
   * @param atStart selects those for which the cut only starts the range
   */
  void evaluate(List<Question> questions, long hlc, Predicate<Question> atStart) {
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
    if (followsRuns && state.hasMomentary()) {
      endMomentaryRuns(questions, hlc);
    }
  }

  private void endMomentaryRuns(List<Question> questions, long hlc) {
    for (Question question : questions) {
      if (!output.isFinished() && question.run().heldAt(hlc)) {
        Value[] before = errors.before(question.frame());
        try {
          endIfMomentary(question, hlc);
        } catch (EvaluationException e) {
          errors.skip(e, question.frame(), before);
        }
      }
    }
  }

  private void evaluate(Question question, long hlc, boolean atStart) {
    Frame frame = question.frame();
    frame.setClockOffsets(clockOffsets);
    frame.beginCut();
    Run run = question.run();
    SortedSet<String> missingNow = missing.now();
    if (clauses.holds(frame)) {
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

  /**
   * Momentary values disappear after their stamp, so a run that depends on one ends where it began.
   */
  private void endIfMomentary(Question question, long hlc) {
    Frame frame = question.frame();
    frame.beginCut();
    Value[] declared = clauses.declared(frame);
    state.showMomentary(false);
    boolean stillHolds;
    try {
      stillHolds = clauses.stillHolds(frame);
    } catch (EvaluationException e) {
      stillHolds = false;
    }
    state.showMomentary(true);
    clauses.restore(frame, declared);
    if (!stillHolds) {
      end(question, hlc, missing.now());
    }
  }

  private CutRow row(Frame frame, long hlc, SortedSet<String> missingNow) {
    List<Value> items = clauses.items(frame);
    var note = clauses.note(frame);
    return new CutRow(hlc, nextOrdinal(hlc), time(hlc), items, note, missingNow);
  }

  private CutTime time(long hlc) {
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
