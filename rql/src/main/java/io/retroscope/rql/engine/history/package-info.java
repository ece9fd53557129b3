// SPDX-License-Identifier: Apache-2.0
/**
 * Queries over history: one, or several in one pass over the events.
 *
 * <p>A {@link io.retroscope.rql.engine.history.SelectedHistory} is a statement with the plan of the
 * query that walks cuts, and with the statements around it: outer queries, and a verdict. It is one
 * advance of a walk to the end of the range. Then follows what the answer does not know: {@code
 * VerdictDoubt} has the reasons for which the rows, or their absence, prove nothing about a claim,
 * and {@code EmptyStart} one more. {@link io.retroscope.rql.engine.history.Explanation} is EXPLAIN,
 * with or without ANALYZE.
 *
 * <p>{@link io.retroscope.rql.engine.history.SharedHistory} executes several statements. Those that
 * follow the same variables over the same range have one state, which a {@code SharedWalk} moves;
 * the other walks take turns, so that a block which one has read is still in memory for the next.
 * Each statement gets the rows, the warnings and the error of its own run.
 */
@NullMarked
package io.retroscope.rql.engine.history;

import org.jspecify.annotations.NullMarked;
