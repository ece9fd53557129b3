// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Statement.When;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.CutState;
import java.util.List;
import java.util.Optional;

/**
 * A plan over a state. EXPLAIN prints it, and a walk executes it, once. Used by one thread.
 *
 * @param batch the batch of the walk, and the state that it moves
 * @param clauses the clauses, compiled over the state
 */
public record BoundPlan(QueryPlan plan, CutBatch batch, CompiledQuery clauses) {
  /** The state that the walk moves. */
  public CutState state() {
    return batch.state();
  }

  /** The statement's text, for errors. */
  public String text() {
    return plan.text();
  }

  /** The query. */
  public AnalyzedQuery query() {
    return plan.query();
  }

  /** The time slice that is walked. */
  public QueryPlan.Slice slice() {
    return plan.slice();
  }

  /** The rows that are made. */
  public QueryPlan.Output output() {
    return plan.output();
  }

  /** The data that is read. */
  public QueryPlan.Input input() {
    return plan.input();
  }

  /** The sentences that the answer must contain whatever its rows are. */
  public List<String> warnings() {
    return plan.warnings();
  }

  /** The rule that passes over cuts at which WHEN is surely not TRUE; empty if there is none. */
  public Optional<QuietRule> quietRule() {
    return whyNoRule().isPresent()
        ? Optional.empty()
        : clauses.condition().flatMap(when -> Optional.ofNullable(when.rule())).map(plan.rules());
  }

  /**
   * The rules of a query that has no {@link #quietRule}, because its cuts depend on THEN, AFTER,
   * FOR EACH NODE or ages: if all are quiet, a cut changes nothing.
   *
   * @param when that of WHEN
   * @param isExact whether it is quiet wherever WHEN is not TRUE
   * @param expected that of THEN or AFTER
   * @param excused that of UNLESS
   */
  public record ClauseRules(
      QuietRule when, boolean isExact, Optional<QuietRule> expected, Optional<QuietRule> excused) {}

  /** The rules of single cuts; empty if each cut has to be evaluated. */
  public Optional<ClauseRules> clauseRules() {
    boolean isEach = query().query().forEach().isPresent();
    boolean isOfNodes =
        query().query().forEach().filter(ForEach.OfNode.class::isInstance).isPresent();
    boolean hasAges = !clauses.ages().isEmpty();
    Optional<Response> response = query().response();
    if (slice().single()
        || clauses.checksTypes()
        || query().query().compute().isPresent()
        || input().liveNodes()
        || input().usesWriteAges()
        || (isEach && (!isOfNodes || hasAges || response.isPresent()))) {
      return Optional.empty();
    }
    boolean isExact = !isEach && !hasAges;
    Optional<QuietRule> expected = response.map(Response::expected).flatMap(clauses::rule);
    Optional<QuietRule> excused = response.flatMap(Response::excuse).flatMap(clauses::rule);
    if (expected.isPresent() != response.isPresent()
        || excused.isPresent() != response.flatMap(Response::excuse).isPresent()) {
      return Optional.empty();
    }
    return query()
        .query()
        .when()
        .map(When::predicate)
        .flatMap(when -> isExact ? clauses.rule(when) : clauses.necessary(when))
        .map(
            when ->
                new ClauseRules(
                    plan.rules().apply(when),
                    isExact,
                    expected.map(plan.rules()),
                    excused.map(plan.rules())));
  }

  /** The rule of WHEN with ages, over the present state; empty if it has none. */
  public Optional<QuietRule> ruleOfSingleCuts() {
    return query()
        .query()
        .when()
        .map(When::predicate)
        .flatMap(clauses::ruleOfSingleCuts)
        .map(plan.rules());
  }

  /** The rule of WHEN for one node of FOR EACH NODE; empty if it has none. */
  public Optional<QuietRule> ruleAt(String node) {
    return query()
        .query()
        .when()
        .map(When::predicate)
        .flatMap(when -> clauses.ruleAt(node, when))
        .map(plan.rules());
  }

  /** The reason why the walk cannot be split into slices of time; empty if it can. */
  public Optional<String> whyOneSlice() {
    if (slice().single()) {
      return Optional.of("there is only one cut");
    }
    if (query().response().isPresent()) {
      return Optional.of("what THEN and AFTER expect may come in another slice");
    }
    if (output().keepsState()) {
      return Optional.of("GLOBAL keeps its value from cut to cut");
    }
    if (input().liveNodes()) {
      return Optional.of("AT LIVE NODES depends on all earlier heartbeats");
    }
    if (query().query().forEach().isPresent()) {
      return Optional.of("FOR EACH makes several questions");
    }
    if (!clauses.ages().isEmpty()) {
      return Optional.of("an age that becomes true makes a cut");
    }
    return Optional.empty();
  }

  /** The reason why WHEN is evaluated at every cut; empty if there is a rule. */
  Optional<String> whyNoRule() {
    if (slice().single()) {
      return Optional.of("there is only one cut");
    }
    if (query().response().isPresent()) {
      return Optional.of("what THEN and AFTER expect is evaluated at every cut");
    }
    if (clauses.checksTypes()) {
      return Optional.of("DECLARE has a type, which each cut is checked for");
    }
    if (query().query().compute().isPresent()) {
      return Optional.of("COMPUTE runs at every cut");
    }
    if (query().query().forEach().isPresent()) {
      return Optional.of("FOR EACH makes several questions");
    }
    if (input().liveNodes()) {
      return Optional.of("AT LIVE NODES hides values as time passes");
    }
    if (!clauses.ages().isEmpty()) {
      return Optional.of("an age changes as time passes");
    }
    if (input().usesWriteAges()) {
      return Optional.of("WriteAge depends on every write");
    }
    return clauses
        .condition()
        .flatMap(when -> Optional.ofNullable(when.obstacle()))
        .map(part -> text().substring(part.start(), part.end()) + " has none");
  }
}
