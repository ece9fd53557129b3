/**
 * The evaluation of expressions over the state of one cut.
 *
 * <p>A {@link io.retroscope.rql.evaluation.Translator} turns analyzed expressions into a tree of
 * {@link io.retroscope.rql.evaluation.Evaluator}s, once per run of a query. Names are resolved by
 * then: a variable is a column of the state, and every other name is a slot of the {@link
 * io.retroscope.rql.evaluation.Frame}. An expression has either one value or a value at every node;
 * {@code Translation} holds whichever it is. The evaluators are named after the expressions: {@code
 * Arithmetic}, {@code Comparison}, {@code Junction}, {@code Quantification}, {@code Aggregation}
 * and so on.
 *
 * <p>A {@link io.retroscope.rql.evaluation.KernelCompiler} turns the predicate of WHEN into {@code
 * Predicate}s over {@code Kernel}s as well, if it can. These are evaluated over many cuts at once,
 * without objects, and decide which cuts the evaluators visit.
 *
 * <p>Two kinds of evaluation are faster than the plain one and must return the same result. {@code
 * Extremes} evaluates some quantifiers from the least and the greatest value. {@link
 * io.retroscope.rql.evaluation.AgeSearch} finds comparisons of Age(...) with a constant, whose
 * {@link io.retroscope.rql.evaluation.AgeComparison}s compute the next stamp at which they become
 * true.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Logic is three-valued, and an operation with NULL returns NULL unless the reference lists
 *       it as an exception.
 *   <li>LONGs and DURATIONs never wrap, and a DOUBLE is always finite.
 *   <li>The result does not depend on how the walk reached the cut. Sums of DOUBLEs are therefore
 *       added in the order of the nodes.
 *   <li>A failure is an {@link io.retroscope.rql.evaluation.EvaluationException} with the place of
 *       the operand and, if it is known, the node.
 *   <li>Every loop counts its work in a {@link io.retroscope.rql.evaluation.WorkMeter}, so that it
 *       can be cancelled, and is bounded by {@link io.retroscope.rql.evaluation.QueryLimits}.
 * </ul>
 *
 * <p>A new function begins in {@link io.retroscope.rql.analysis.RqlFunction}; the compiler then
 * names the switches to extend here. A new form of expression begins in {@link
 * io.retroscope.rql.ast.Expression}, whose visitors include {@code ExpressionTranslator}, {@code
 * AgeOperand} and {@code AgeSearch}.
 */
@NullMarked
package io.retroscope.rql.evaluation;

import org.jspecify.annotations.NullMarked;
