// SPDX-License-Identifier: Apache-2.0
/**
 * The execution of RQL statements over an {@link io.retroscope.rql.cut.EventSource}: the front, and
 * the packages below it.
 *
 * <p>{@link io.retroscope.rql.engine.QueryEngine} parses and analyzes a statement into a {@link
 * io.retroscope.rql.engine.PreparedQuery}, which is immutable and can run any number of times. Each
 * run has a {@link io.retroscope.rql.plan.BoundPlan} with the clauses as evaluators. A query is a
 * predicate that is evaluated at every cut of a range; each package knows only those below it:
 *
 * <pre>
 *   engine                    prepares statements, and runs each by its kind
 *   history | live            the walks of queries over history, or of STREAMs
 *   walk    | statement       the walk of one query; statements that walk no cuts
 *   slice                     parts of a walk, for several threads and processes
 *   response                  triggers, and what THEN and AFTER expect
 *   run                       runs of cuts at which WHEN holds, and their rows
 *   completeness              what the answer does not know
 * </pre>
 *
 * <p>A query over history is one advance of the walk to the end of the range. A STREAM is the same
 * walk, advanced each time the watermark moves. Both therefore return the same rows.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A running statement belongs to one thread; only the engine and prepared queries are shared.
 *   <li>Work is bounded by {@link io.retroscope.rql.evaluation.QueryLimits}, and can be cancelled
 *       within a cut.
 *   <li>An {@link io.retroscope.rql.evaluation.EvaluationException} leaves the package only as an
 *       {@link io.retroscope.rql.diagnostic.RqlException} with its place, node and cut.
 *   <li>The rows do not depend on where one advance ends and the next begins.
 * </ul>
 *
 * <p>A new form of EMIT is an {@code Emission} in {@code run}. A new clause belongs to the plan
 * and, if it adds columns, to {@code ResultColumns}. A new statement other than SELECT is checked
 * by {@code Preparation}, run by {@code QueryEngine}, and executed by a class in {@code statement}.
 */
@NullMarked
package io.retroscope.rql.engine;

import org.jspecify.annotations.NullMarked;
