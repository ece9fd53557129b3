/**
 * Plans of queries: what EXPLAIN prints and a walk executes.
 *
 * <p>A {@link io.retroscope.rql.plan.QueryPlan} is made once for each run of an analyzed query. It
 * holds the {@link io.retroscope.rql.plan.TimeWindow} that ON TIME selects, the form of the rows,
 * and the logs, variables and nodes that are read. It is immutable, and is bound to a state as
 * often as there are walks: a {@link io.retroscope.rql.plan.BoundPlan} adds the clauses as
 * evaluators over this state. {@link io.retroscope.rql.plan.PlanPrinter} adds only amounts that the
 * storage knows.
 *
 * <p>A new clause is compiled in {@link io.retroscope.rql.plan.CompiledQuery}, gets its place in
 * the plan, and a line in the printer.
 */
@NullMarked
package io.retroscope.rql.plan;

import org.jspecify.annotations.NullMarked;
