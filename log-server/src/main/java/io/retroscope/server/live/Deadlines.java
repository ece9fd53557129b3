// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The deadlines at which runs are examined even if they send nothing. Guarded by its tracker. */
/*
 * Each time a run sends something, its deadline moves. Its entry does not: it stays under its
 * earliest deadline, and is replaced by one with the actual deadline when it expires.
 */
final class Deadlines {
  static final long NEVER = Long.MAX_VALUE;

  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingLong(Entry::nanos));

  private record Entry(long nanos, Lane lane) {}

  void add(Lane lane, long nanos) {
    if (nanos < lane.dueNanos) {
      lane.dueNanos = nanos;
      entries.add(new Entry(nanos, lane));
    }
  }

  /** Removes a run whose deadline has expired; null if there is none. */
  @Nullable Lane poll(long now) {
    for (Entry entry = entries.peek();
        entry != null && entry.nanos() <= now;
        entry = entries.peek()) {
      entries.remove();
      if (entry.lane().dueNanos == entry.nanos()) {
        entry.lane().dueNanos = NEVER;
        return entry.lane();
      }
    }
    return null;
  }
}
