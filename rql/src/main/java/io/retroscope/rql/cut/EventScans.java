// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import java.util.Iterator;
import java.util.Set;

/** The events of a view, in the order of their stamps. Used by one thread. */
public interface EventScans {
  /**
   * Returns the events of the given logs with {@code from <= hlc <= to}, ordered by stamp and, at
   * equal stamps, by node in natural order. Starts and stops of nodes are included; heartbeats are
   * not. Two events of a node with one stamp belong to two of its runs; the event of the run that
   * started later comes second.
   */
  Iterator<Event> scan(Set<String> logs, HlcRange range);

  /**
   * Returns the events in the range that matter to a walk, in the order of the other {@code scan};
   * it may omit others.
   */
  ArrivalWindow scan(Interest interest, HlcRange range);

  /**
   * Returns the events of {@link #scan(Set, HlcRange)}; those of overlapping runs of a node carry
   * their incarnations.
   */
  default Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
    return scan(logs, range);
  }

  /**
   * Returns events before a stamp that lead a walk to the same state as all events before it: the
   * same values, with the same ages if the interest uses ages, the same variables ever written by
   * state changes, and the same incarnations. They are ordered as in {@code scan}. Events in
   * between may be missing, so only the state after the last one is valid.
   *
   * @param hlc packed, above {@link HlcTimestamp#MIN_PACKED}
   */
  default ArrivalWindow stateBefore(Interest interest, long hlc) {
    return scan(interest, new HlcRange(HlcTimestamp.MIN_PACKED, hlc - 1));
  }
}
