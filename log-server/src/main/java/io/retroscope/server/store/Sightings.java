package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * Steps through the lifetimes of all nodes in order of stamp: both ends of each range exactly, and
 * between them stamps no further apart than the resolution. Used by one thread.
 */
final class Sightings implements Iterator<Sighting> {
  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));
  private final long step;

  Sightings(Map<String, List<HlcRange>> lifetimes, HlcRange range, long resolutionMicros) {
    step = Math.max(1, resolutionMicros) << HlcTimestamp.LOGICAL_BITS;
    lifetimes.forEach(
        (node, own) -> {
          for (HlcRange lifetime : own) {
            long from = Math.max(lifetime.from(), range.from());
            long to = Math.min(lifetime.to(), range.to());
            if (from <= to) {
              open.add(new Steps(node, from, to));
            }
          }
        });
  }

  @Override
  public boolean hasNext() {
    return !open.isEmpty();
  }

  @Override
  public Sighting next() {
    Steps first = open.poll();
    if (first == null) {
      throw new NoSuchElementException("no more sightings in the range");
    }
    Sighting sighting = new Sighting(first.node, first.next);
    if (first.next < first.to) {
      first.next = first.to - first.next > step ? first.next + step : first.to;
      open.add(first);
    }
    return sighting;
  }

  private static final class Steps {
    private final String node;
    private final long to;
    private long next;

    Steps(String node, long from, long to) {
      this.node = node;
      this.next = from;
      this.to = to;
    }
  }
}
