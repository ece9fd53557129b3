package io.retroscope.server.live;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** When each run is to be looked at although nothing is heard of it. Guarded by its tracker. */
/*
 * A run that is heard from has a later deadline each time. It is not moved then: it waits under its
 * earliest deadline, and gets its true one when that has come.
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

  /** Takes out a run whose time has come; null if there is none. */
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
