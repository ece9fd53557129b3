// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan.Input;

/**
 * The properties that STREAM queries must have in common so that one state serves them all.
 * Immutable.
 *
 * @param hasRule whether there is a quiet rule; a query without one evaluates every cut
 * @param owner the query if no other one can share its state; else a constant
 */
record LiveShape(Input input, boolean hasRule, Object owner) {
  private static final Object ANY = new Object();

  /** Whether other queries can share the state. */
  boolean isShared() {
    return owner == ANY;
  }

  static LiveShape of(BoundPlan plan) {
    var expressions = plan.query().query().expressions();
    return new LiveShape(
        plan.input(),
        plan.quietRule().isPresent(),
        // The first of several walks to notice a sign of a node would hide it from the others.
        AgeSearch.calls(RqlFunction.PerNode.SILENCE, expressions) ? plan : ANY);
  }
}
