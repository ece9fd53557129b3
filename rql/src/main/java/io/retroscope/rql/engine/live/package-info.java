// SPDX-License-Identifier: Apache-2.0
/**
 * STREAM queries, whose walks continue as the watermark moves.
 *
 * <p>A {@link io.retroscope.rql.engine.live.LiveGroup} advances its queries together. Those that
 * use the same values have the same {@code LiveShape} and share one walk, a {@code LiveTrack}: a
 * cut costs as much as the queries for which it may change something, whatever the number of
 * others. A {@link io.retroscope.rql.engine.live.LiveWalk} is one query, from its first row to its
 * end.
 *
 * <p>Events may come late. {@link io.retroscope.rql.engine.live.LateInterest} says whether one
 * matters to a query. If so, another walk begins before it, at a checkpoint of {@code ShownRows},
 * over all that is stored; an {@code Amendment} sends the rows in which it differs, as late or
 * retracted. {@code AnswerDigest} represents rows that are not kept.
 *
 * <p>The rows that were sent, without those that were retracted, are the rows of the past up to the
 * watermark. What cannot be known any more is reported as lost. A {@link
 * io.retroscope.rql.answer.StreamPlace} is a position at which a stream can be resumed without loss
 * or repetition.
 */
@NullMarked
package io.retroscope.rql.engine.live;

import org.jspecify.annotations.NullMarked;
