// SPDX-License-Identifier: Apache-2.0
/**
 * Runs of cuts, and the rows that are made of them.
 *
 * <p>A run is a maximal sequence of cuts at which WHEN holds. {@link
 * io.retroscope.rql.engine.run.CutRun} follows the runs of one question: it learns of each cut, and
 * decides with FOR whether a run has lasted long enough to count. An {@link
 * io.retroscope.rql.engine.run.Emission} makes rows of EMIT CUTS, INTERVALS or EDGES of those that
 * do. Both take a {@code CutRow} only if they need one, because the values of a row cost more than
 * the truth of WHEN.
 *
 * <p>A run may begin and end within one stamp: {@code AfterStamp} has the truths after it. {@code
 * ShortRuns} says whether a run that was too short may have lasted longer by the clocks. {@code
 * Emitted} is the place at which the rows can be continued, which is not after a run that is open.
 *
 * <p>A new form of EMIT is an {@code Emission}; a new automatic column belongs to {@code
 * ResultColumns}. Everything here is used by the one thread of its walk.
 */
@NullMarked
package io.retroscope.rql.engine.run;

import org.jspecify.annotations.NullMarked;
