// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan.Input;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The properties that STREAM queries must have in common so that one state serves them all.
 * Immutable.
 *
 * @param forEach the pattern of FOR EACH VARIABLE
 * @param hasRule whether there is a quiet rule; a query without one evaluates every cut
 * @param owner the query if no other one can share its state; else a constant
 */
record LiveShape(
    Set<String> logs,
    Set<Reference.Variable> variables,
    Optional<String> forEach,
    List<String> onlyNodes,
    boolean liveNodes,
    boolean usesAges,
    boolean usesWriteAges,
    boolean hasRule,
    Object owner) {
  private static final Object ANY = new Object();

  /** Whether other queries can share the state. */
  boolean isShared() {
    return owner == ANY;
  }

  static LiveShape of(BoundPlan plan) {
    Input input = plan.input();
    var expressions = plan.query().query().expressions();
    return new LiveShape(
        input.logs(),
        input.variables(),
        input.forEach(),
        input.onlyNodes(),
        input.liveNodes(),
        AgeSearch.usesAges(expressions),
        AgeSearch.calls(RqlFunction.PerNode.WRITE_AGE, expressions),
        plan.quietRule().isPresent(),
        // The first of several walks to notice a sign of a node would hide it from the others.
        AgeSearch.calls(RqlFunction.PerNode.SILENCE, expressions) ? plan : ANY);
  }
}
