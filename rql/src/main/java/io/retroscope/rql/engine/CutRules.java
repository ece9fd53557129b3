// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a query with THEN, AFTER, FOR EACH NODE or ages: if all of them are quiet at a cut,
 * its predicates are as they were, and the cut changes nothing. Used by one thread.
 */
final class CutRules {
  private final QuietRule when;
  private final @Nullable QuietRule whenTrue;
  private final @Nullable Pair expected;
  private final @Nullable Pair excused;

  /** The rules of a predicate that is not TRUE now, and of one that is. */
  private record Pair(QuietRule ifNot, QuietRule ifTrue) {
    static Pair of(QuietRule rule) {
      return new Pair(rule, rule.whileTrue());
    }

    QuietRule now(boolean isTrue) {
      return isTrue ? ifTrue : ifNot;
    }
  }

  private CutRules(BoundPlan.CutRules rules) {
    this.when = rules.when();
    this.whenTrue = rules.isExact() ? rules.when().whileTrue() : null;
    this.expected = rules.expected().map(Pair::of).orElse(null);
    this.excused = rules.excused().map(Pair::of).orElse(null);
  }

  /** The rules of a plan; null if it has none. */
  static @Nullable CutRules of(BoundPlan plan) {
    return plan.cutRules().map(CutRules::new).orElse(null);
  }

  /** The rules for the next cut; none if it has to be evaluated. */
  List<QuietRule> now(List<Question> questions) {
    if (questions.size() != 1 || questions.get(0).response() == null) {
      boolean holds = questions.stream().anyMatch(question -> question.run().holds());
      return holds ? List.of() : List.of(when);
    }
    Run run = questions.get(0).run();
    ResponsePattern response = questions.get(0).response();
    boolean isUndecided = !response.isSettled() || (run.holds() && !run.needsOnlyItsEnd());
    QuietRule ofWhen = run.holds() ? whenTrue : when;
    if (isUndecided || ofWhen == null || expected == null) {
      return List.of();
    }
    List<QuietRule> rules = new ArrayList<>();
    rules.add(ofWhen);
    rules.add(expected.now(response.isExpectedNow()));
    if (excused != null) {
      rules.add(excused.now(response.isExcusedNow()));
    }
    return rules;
  }
}
