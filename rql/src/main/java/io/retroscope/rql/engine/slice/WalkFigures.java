// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

/**
 * The cost of a walk or a part of it.
 *
 * @param cuts the number of cuts
 * @param passedCuts the number of these that the quiet rule passed over
 * @param eventsRead the number of events read, with those that show the state at a start
 * @param blocksPassed the number of blocks that were not read, because their zones answered
 */
public record WalkFigures(long cuts, long passedCuts, long eventsRead, long blocksPassed) {
  /** The cost of nothing. */
  public static final WalkFigures NONE = new WalkFigures(0, 0, 0, 0);

  /** The cost of both together. */
  public WalkFigures plus(WalkFigures other) {
    return new WalkFigures(
        cuts + other.cuts,
        passedCuts + other.passedCuts,
        eventsRead + other.eventsRead,
        blocksPassed + other.blocksPassed);
  }
}
