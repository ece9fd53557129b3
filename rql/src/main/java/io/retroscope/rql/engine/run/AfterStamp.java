// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.plan.CompiledQuery;

/**
 * The truths just after a stamp, when its momentary values have disappeared. A run that depends on
 * one ends where it began.
 *
 * @param holds whether WHEN is TRUE; false after an error
 * @param expected whether the predicate of THEN or AFTER is TRUE
 * @param excused whether that of UNLESS is TRUE
 */
public record AfterStamp(boolean holds, boolean expected, boolean excused) {
  /**
   * Evaluates the clauses at the present cut, and leaves the declared names as they are.
   *
   * @param isPresent whether the question's element is; WHEN does not hold without it
   */
  public static AfterStamp of(
      CompiledQuery clauses, CutState state, Frame frame, boolean isPresent) {
    frame.beginCut();
    Value[] declared = clauses.declared(frame);
    state.showMomentary(false);
    boolean holds = false;
    boolean expected = false;
    boolean excused = false;
    try {
      if (isPresent) {
        holds = clauses.stillHolds(frame);
      } else {
        clauses.computeAgain(frame);
      }
      expected = clauses.expected(frame);
      excused = clauses.excused(frame);
    } catch (EvaluationException e) {
      holds = false; // It is no error of a cut, and no run holds beyond it.
    }
    state.showMomentary(true);
    clauses.restore(frame, declared);
    return new AfterStamp(holds, expected, excused);
  }
}
