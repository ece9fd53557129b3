// SPDX-License-Identifier: Apache-2.0
/**
 * The alignment of nodes' clocks from their events alone: no clock is synchronised and no extra
 * message is sent. {@link io.retroscope.server.align.ClockAlignment} receives the stored events and
 * returns, for each node and instant, an interval that contains the node's offset from the driver
 * node, and one estimate within it.
 *
 * <p>The idea: a message cannot arrive before it was sent, so the readings at its two ends bound
 * the offset between two clocks. Bounds combine along paths of nodes. A bound ages: it loosens by
 * the assumed relative rate of two clocks. A stamp ahead of its node's own reading is evidence too,
 * because some higher clock showed it.
 *
 * <p>The main types, in the order in which an event meets them:
 *
 * <ul>
 *   <li>{@code ClockEvidence} chooses the events that matter where not all can be kept together.
 *   <li>{@code NodeClock} collects the evidence of a node's own readings and stamps, and {@code
 *       MessageMatcher} joins the two ends of each message.
 *   <li>{@code OffsetEstimator} keeps the best current {@code Bound} of each ordered pair in a
 *       {@code ConstraintGraph}, and earlier ones in an {@code EvidenceTrail} per pair.
 *   <li>{@code StepDetector} names the clock that stepped when evidence contradicts itself; {@code
 *       StepGaps} and {@code StampDoubts} hold the intervals whose evidence does not count.
 *   <li>{@code OffsetFrame} and {@code NodeOffsets} are the offsets at one instant, {@code
 *       AlignmentView} the offsets over time as queries see them; {@code DriverSearch} finds the
 *       highest clock, and {@code DriverLog} decides which node they refer to.
 * </ul>
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>An interval contains the true offset as long as the assumptions in {@link
 *       io.retroscope.server.align.AlignmentSettings} hold; an estimate is always inside its
 *       interval.
 *   <li>The bounds in the graph are consistent: their arcs have no negative cycle.
 *   <li>Evidence never counts inside or across an interval in which a clock of its pair stepped.
 *   <li>Readings are never changed, and events may arrive in any order and more than once.
 *   <li>All memory is bounded by the settings; the oldest evidence is thinned first.
 * </ul>
 *
 * <p>Units: readings, offsets, leads, bounds and instants are {@code double}s in microseconds, and
 * an instant counts from the origin that {@code ClockAlignment} chose, on the time scale of stamps.
 * {@code rho} is a ratio of rates, and a value in parts per million has {@code ppm} in its name.
 * Only the experiments may use another unit of time, one for all values of an {@link
 * io.retroscope.server.align.OffsetModel}.
 *
 * <p>Where to make a change: new evidence is added in {@code ClockAlignment} and converted to a
 * {@code Bound}; the result that users see is shaped in {@code AlignmentView}; a new assumption or
 * limit belongs to {@code AlignmentSettings}. The theory and its limits are in {@code
 * docs/alignment.md}. After a change, run {@code ./retroscope simulate} and compare its tables with
 * {@code examples/simulate/RESULTS.md}.
 */
@NullMarked
package io.retroscope.server.align;

import org.jspecify.annotations.NullMarked;
