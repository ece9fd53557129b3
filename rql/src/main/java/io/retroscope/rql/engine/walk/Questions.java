// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.plan.BoundPlan;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The questions that a walk evaluates: one, or one for each of FOR EACH. Used by one thread. */
interface Questions {
  /** A factory of questions. */
  interface Maker {
    /** Creates the only question of a query. */
    Question makeOnly();

    /** Creates the question for a variable. */
    Question make(VariableColumn variable);

    /** Creates the question for an element. */
    Question make(Value element);

    /** Forgets a question that is not evaluated any more. */
    void forget(Question question);
  }

  /** Creates the questions of a plan; its state follows its variables from now on. */
  static Questions of(BoundPlan plan, Maker maker, @Nullable ElementsAtCut elements) {
    if (elements != null) {
      return new ElementQuestions(plan, maker, elements);
    }
    return plan.input().forEach().isPresent()
        ? new VariableQuestions(plan, maker)
        : new OneQuestion(plan, maker);
  }

  /** Whether there may be several. */
  boolean areSeveral();

  /**
   * Looks for new questions at a cut, and for those that have no element any more.
   *
   * @return whether questions can be evaluated; false if an error of the cut was skipped
   */
  boolean meet();

  /** The questions in the state just before the range, which are for this state only. */
  default List<Question> before() {
    return all();
  }

  /** Looks again for questions without an element, when values of the stamp only are hidden. */
  void meetAfter();

  /** All questions, in the order of their rows. */
  List<Question> all();

  /** The questions for which the end of the range may matter, in the order of their rows. */
  default List<Question> open() {
    return all();
  }

  /**
   * Returns the questions for which the present stamp is a cut, in the order of their rows. The
   * list is valid until the next call.
   *
   * @param columns the columns written at the cut
   * @param timely the questions for which the time makes it a cut
   */
  List<Question> touchedBy(List<VariableColumn> columns, Set<Question> timely);

  /** Forgets questions that are over, after some were evaluated at a cut. */
  void settle(List<Question> evaluated);
}
