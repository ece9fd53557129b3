// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The runs that hold the watermark, ordered by frontier. Guarded by their tracker. */
/*
 * Frontiers only rise, so each run stays queued under the frontier it had when it was last
 * examined, and only those that may be the lowest are examined again.
 */
final class Frontiers {
  private final PriorityQueue<Entry> lowest =
      new PriorityQueue<>(Comparator.comparingLong(Entry::frontier));

  private record Entry(long frontier, Lane lane) {}

  /** Adds a run that now counts. */
  void add(Lane lane) {
    if (!lane.queued) {
      lane.queued = true;
      lowest.add(new Entry(lane.frontier(), lane));
    }
  }

  /** The run with the lowest frontier; null if none counts. */
  @Nullable Lane lowest() {
    for (Entry entry = lowest.peek(); entry != null; entry = lowest.peek()) {
      Lane lane = entry.lane();
      boolean counts = lane.standing == Lane.Standing.COUNTS;
      if (counts && entry.frontier() == lane.frontier()) {
        return lane;
      }
      lowest.remove();
      lane.queued = false;
      if (counts) {
        add(lane);
      }
    }
    return null;
  }
}
