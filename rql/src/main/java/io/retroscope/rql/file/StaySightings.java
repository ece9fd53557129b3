// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * Sightings of nodes in the order of stamps, made from the ranges in which they were seen: both
 * ends of each range, and between them as many as are needed for each to assure the next. Used by
 * one thread.
 */
final class StaySightings implements Iterator<Sighting> {
  /** The distance of sightings within a range: the longest promise that is taken into account. */
  private static final long STEP = EventSource.MAX_PROMISE_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));

  private StaySightings() {}

  static Iterator<Sighting> of(List<NodeStays> nodes, HlcRange range) {
    StaySightings sightings = new StaySightings();
    for (NodeStays stays : nodes) {
      Steps steps = new Steps(stays, range);
      if (!steps.isEnded()) {
        sightings.open.add(steps);
      }
    }
    return sightings;
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
    Sighting sighting = first.take();
    if (!first.isEnded()) {
      open.add(first);
    }
    return sighting;
  }

  /** The ranges of one node, limited to that of the question. */
  private static final class Steps {
    private final NodeStays stays;
    private final HlcRange range;
    private int index;
    private long next;

    Steps(NodeStays stays, HlcRange range) {
      this.stays = stays;
      this.range = range;
      index = stays.firstEndingFrom(range.from());
      begin();
    }

    private void begin() {
      next = isEnded() ? Long.MAX_VALUE : Math.max(stays.stay(index).from(), range.from());
    }

    boolean isEnded() {
      return index == stays.size() || stays.stay(index).from() > range.to();
    }

    Sighting take() {
      Stay stay = stays.stay(index);
      long at = next;
      long to = Math.min(stay.to(), range.to());
      if (at == to) {
        index++;
        begin();
        return new Sighting(
            stays.node(), at, Math.max(micros(to, stay.to()), 0) + stay.assuredMicros());
      }
      next = to - at > STEP ? at + STEP : to;
      return new Sighting(stays.node(), at, micros(at, next));
    }

    private static long micros(long from, long to) {
      return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
    }
  }
}
