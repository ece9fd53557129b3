/**
 * The execution of RQL statements over an {@link io.retroscope.rql.cut.EventSource}.
 *
 * <p>A query is a predicate that is evaluated at every cut of a range. {@link
 * io.retroscope.rql.engine.QueryEngine} parses and analyzes a statement into a {@link
 * io.retroscope.rql.engine.PreparedQuery}, which is immutable and can run any number of times. Each
 * run translates the expressions into a tree of {@code Evaluator}s, then {@code QueryWalk} moves a
 * {@link io.retroscope.rql.cut.CutState} from cut to cut and evaluates the tree at each. A {@code
 * Run} tracks the consecutive cuts at which WHEN holds, and an {@code Emission} makes the rows of
 * EMIT CUTS, INTERVALS or EDGES from them. The rows go to a {@link
 * io.retroscope.rql.engine.RowSink}.
 *
 * <p>A query over history is one advance of the walk to the end of the range. A STREAM is the same
 * walk, advanced by its {@link io.retroscope.rql.engine.LiveWalk} each time the watermark moves.
 * Both therefore return the same rows. A {@link io.retroscope.rql.engine.StreamPlace} names the
 * position at which a stream can be resumed without loss or repetition.
 *
 * <p>The evaluators are named after the expressions: {@code Arithmetic}, {@code Comparison}, {@code
 * SetAlgebra} and so on. An expression has either one value or a value at every node; {@code
 * Translation} holds whichever it is. Two kinds of evaluation are faster than the plain one and
 * must return the same result: {@code Extremes} answers some quantifiers from the least and the
 * greatest value, and {@code AgeTimers} predicts the stamps at which a comparison of Age(...)
 * becomes true, so that no cut is needed in between.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A statement is used by one thread at a time; only the engine and prepared queries are
 *       shared.
 *   <li>Work is bounded by {@link io.retroscope.rql.engine.QueryLimits}. Long work reports to
 *       {@code WorkMeter}, so that it can be cancelled within a cut.
 *   <li>An {@code EvaluationException} describes a fault of the data. It leaves the package only as
 *       an {@link io.retroscope.rql.diagnostic.RqlException}, with its place, node and cut.
 *   <li>The rows do not depend on where one advance ends and the next begins.
 * </ul>
 *
 * <p>A new function begins in {@link io.retroscope.rql.analysis.RqlFunction}; the compiler then
 * names the switches to extend here. A new form of expression begins in {@link
 * io.retroscope.rql.ast.Expression}, whose visitors include {@code ExpressionTranslator} and {@code
 * AgeSearch}. A new form of EMIT is an {@code Emission}.
 */
@NullMarked
package io.retroscope.rql.engine;

import org.jspecify.annotations.NullMarked;
