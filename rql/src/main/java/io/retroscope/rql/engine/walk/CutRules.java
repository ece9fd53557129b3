// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.engine.response.ResponsePattern;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a query with THEN, AFTER, FOR EACH NODE or ages: if all of them are quiet at a cut,
 * its predicates are as they were, and the cut changes nothing. Used by one thread.
 */
final class CutRules {
  private final BoundPlan plan;
  private final boolean isEach;
  private final QuietRule when;
  private final @Nullable QuietRule whenTrue;

  /** The rule of WHEN with ages, which is exact, but is not compared with those of others. */
  private final @Nullable QuietRule ofSingleCuts;

  private final @Nullable Pair expected;
  private final @Nullable Pair excused;

  /** The rules of WHEN for single nodes; empty for those that have none. */
  private final Map<String, Optional<Pair>> ofNodes = new HashMap<>();

  private @Nullable SameNodes sameNodes;

  /** The rules of a predicate that is not TRUE now, and of one that is. */
  record Pair(QuietRule ifNot, QuietRule ifTrue) {
    static Pair of(QuietRule rule) {
      return new Pair(rule, rule.whileTrue());
    }

    QuietRule now(boolean isTrue) {
      return isTrue ? ifTrue : ifNot;
    }
  }

  private CutRules(BoundPlan plan, BoundPlan.ClauseRules rules) {
    this.plan = plan;
    this.isEach = plan.query().query().forEach().isPresent();
    this.when = rules.when();
    this.whenTrue = rules.isExact() ? rules.when().whileTrue() : null;
    boolean isSimple = !isEach && plan.query().response().isEmpty();
    this.ofSingleCuts = isSimple && !rules.isExact() ? plan.ruleOfSingleCuts().orElse(null) : null;
    this.expected = rules.expected().map(Pair::of).orElse(null);
    this.excused = rules.excused().map(Pair::of).orElse(null);
  }

  /** The rules of a plan; null if it has none. */
  static @Nullable CutRules of(BoundPlan plan) {
    return plan.clauseRules().map(rules -> new CutRules(plan, rules)).orElse(null);
  }

  /** Whether a cut for which not all rules are quiet changes nothing all the same. */
  boolean staysFalse(List<Question> questions) {
    return ofSingleCuts != null
        && questions.size() == 1
        && !questions.get(0).run().holds()
        && ofSingleCuts.isQuiet();
  }

  /** The rules for the next cut; none if it has to be evaluated. */
  List<QuietRule> now(List<Question> questions) {
    if (isEach) {
      return ofEach(questions);
    }
    CutRun run = questions.get(0).run();
    ResponsePattern response = questions.get(0).response();
    if (response == null) {
      return run.holds() ? List.of() : List.of(when);
    }
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

  /** The rules of FOR EACH NODE: one for all nodes, or one for each while WHEN holds for any. */
  private List<QuietRule> ofEach(List<Question> questions) {
    if (!holdsForAny(questions)) {
      return List.of(when);
    }
    NodeTable nodes = plan.state().nodes();
    if (nodes.size() != questions.size()) {
      return List.of();
    }
    if (sameNodes == null || sameNodes.count != nodes.size()) {
      sameNodes = new SameNodes(nodes, nodes.size());
    }
    List<QuietRule> rules = new ArrayList<>(1 + questions.size());
    rules.add(sameNodes);
    for (int i = 0; i < questions.size(); i++) {
      QuietRule own = own(questions.get(i));
      if (own == null) {
        return List.of();
      }
      rules.add(own);
    }
    return rules;
  }

  private static boolean holdsForAny(List<Question> questions) {
    for (int i = 0; i < questions.size(); i++) {
      if (questions.get(i).run().holds()) {
        return true;
      }
    }
    return false;
  }

  /** Whether they are those of FOR EACH NODE. */
  boolean isEach() {
    return isEach;
  }

  /** Whether a cut changes nothing for a question of FOR EACH NODE, even if it does for others. */
  boolean isQuiet(Question question) {
    QuietRule own = own(question);
    return own != null && own.isQuiet();
  }

  /** The rule of one question of FOR EACH NODE; null if each cut has to be evaluated. */
  private @Nullable QuietRule own(Question question) {
    CutRun run = question.run();
    boolean isDecided = question.isPresent() && (!run.holds() || run.needsOnlyItsEnd());
    Pair rules = isDecided ? ofNode(question) : null;
    return rules == null ? null : rules.now(run.holds());
  }

  private @Nullable Pair ofNode(Question question) {
    if (!(question.element() instanceof StringValue node)) {
      return null;
    }
    Optional<Pair> known = ofNodes.get(node.value());
    if (known == null) {
      known = plan.ruleAt(node.value()).map(Pair::of);
      ofNodes.put(node.value(), known);
    }
    return known.orElse(null);
  }

  /** The rule that is quiet as long as no further node is found. */
  private record SameNodes(NodeTable nodes, int count) implements QuietRule {
    @Override
    public int truths() {
      return nodes.size() == count ? FALSE : UNKNOWN;
    }

    @Override
    public Limit limit() {
      return new Limit(nodes, false, true, count);
    }
  }
}
