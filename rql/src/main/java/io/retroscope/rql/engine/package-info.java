// SPDX-License-Identifier: Apache-2.0
/**
 * The execution of RQL statements over an {@link io.retroscope.rql.cut.EventSource}.
 *
 * <p>A query is a predicate that is evaluated at every cut of a range. {@link
 * io.retroscope.rql.engine.QueryEngine} parses and analyzes a statement into a {@link
 * io.retroscope.rql.engine.PreparedQuery}, which is immutable and can run any number of times. Each
 * run has a {@link io.retroscope.rql.plan.BoundPlan} with the clauses as evaluators. {@code
 * QueryWalk} moves the plan's {@link io.retroscope.rql.cut.state.CutState} from cut to cut, and
 * {@code CutEvaluation} evaluates the clauses at each. A {@code CutRun} tracks the consecutive cuts
 * at which WHEN holds, and an {@code Emission} makes the rows of EMIT CUTS, INTERVALS or EDGES from
 * them. {@code WalkOutput} sends the rows to a {@link io.retroscope.rql.answer.RowSink}.
 *
 * <p>A {@code Question} is the query as it is evaluated at cuts: there is one, or with FOR EACH
 * VARIABLE one per variable, each with its own frame and run. {@code AgeAlarms} predicts the stamps
 * at which a comparison of Age(...) becomes true, so that such a stamp is a cut although no event
 * has it.
 *
 * <p>A query over history is one advance of the walk to the end of the range. A STREAM is the same
 * walk, advanced through a {@link io.retroscope.rql.engine.LiveWalk} each time the watermark moves.
 * Both therefore return the same rows. A {@link io.retroscope.rql.answer.StreamPlace} is a position
 * at which a stream can be resumed without loss or repetition.
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
 * <p>A new form of EMIT is an {@code Emission}. A new clause belongs to the plan and, if it adds
 * columns, to {@code ResultColumns}. A new statement other than SELECT is executed by {@code
 * QueryEngine}, as {@code CatalogStatements} and {@code ForgetStatement} are.
 */
@NullMarked
package io.retroscope.rql.engine;

import org.jspecify.annotations.NullMarked;
