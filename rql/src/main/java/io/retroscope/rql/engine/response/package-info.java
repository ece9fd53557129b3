// SPDX-License-Identifier: Apache-2.0
/**
 * THEN and AFTER: the predicate that is expected after a trigger, or before it, and in time.
 *
 * <p>A {@link io.retroscope.rql.engine.response.ResponsePattern} is an emission that receives the
 * runs of WHEN as its triggers. It also observes, at each cut, whether the expected and the
 * excusing predicate hold, and learns when a deadline has passed. There are three: {@code
 * AnsweredTriggers} for THEN, {@code OverdueTriggers} for NOT THEN, and {@code PrecededRuns} for
 * AFTER and NOT AFTER.
 *
 * <p>A pattern decides only with what cannot change any more: a deadline has passed when no further
 * cut comes below it, and a trigger whose deadline is after the range is open. {@link
 * io.retroscope.rql.engine.response.Responses} counts the triggers of all questions and says which
 * are open. {@link io.retroscope.rql.engine.response.ResponseRows} is what a pattern needs of the
 * walk, which it does not know.
 *
 * <p>{@code ResponseCells} are the values that a pattern adds to a row, among them whether the
 * clocks could reverse it. {@code AnswerDoubt} warns if one answer may belong to another request.
 */
@NullMarked
package io.retroscope.rql.engine.response;

import org.jspecify.annotations.NullMarked;
