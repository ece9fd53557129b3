// SPDX-License-Identifier: Apache-2.0
/**
 * The walk of one query: a plan that is executed over the cuts of a range.
 *
 * <p>{@link io.retroscope.rql.engine.walk.QueryWalk} learns from a {@link
 * io.retroscope.rql.cut.walk.CutWalker} of each cut, or of many at once that a rule has passed
 * over. It finds the questions that the cut concerns, and {@code CutEvaluation} evaluates the
 * clauses for each. {@code WalkOutput} sends the rows that their runs make, up to LIMIT.
 *
 * <p>A {@code Question} is the query as it is evaluated at cuts: there is one, or with FOR EACH one
 * for each variable or element, with its own frame and run. {@code AgeAlarms} predicts the stamps
 * at which a comparison of Age(...) becomes TRUE, so that such a stamp is a cut although no event
 * has it. {@code Deadlines} are the stamps at which a run or a response is decided although nothing
 * changes. {@code SliceStitch} joins slices that others have walked.
 *
 * <p>A walk moves its own state, or that of a {@link io.retroscope.rql.engine.walk.Track}: then
 * several walks learn of the cuts of one state, and each evaluates those that its rules do not pass
 * over. The rows do not depend on that, nor on where one advance ends and the next begins.
 *
 * <p>An {@link io.retroscope.rql.evaluation.EvaluationException} leaves the walk only as an {@link
 * io.retroscope.rql.diagnostic.RqlException} with its place, node and cut.
 */
@NullMarked
package io.retroscope.rql.engine.walk;

import org.jspecify.annotations.NullMarked;
