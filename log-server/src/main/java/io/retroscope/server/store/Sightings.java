package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Lifetimes.Lifetime;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * An iteration over the lifetimes of all nodes in order of stamp: both ends of each range exactly,
 * and between them as many sightings as it takes for each to assure the time to the next. Used by
 * one thread.
 */
final class Sightings implements Iterator<Sighting> {
  /** Few, and what each assures is a promise that is believed wherever it is exported to. */
  private static final long STEP = EventSource.MAX_PROMISE_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));

  Sightings(Map<String, List<Lifetime>> lifetimes, HlcRange range) {
    lifetimes.forEach(
        (node, own) -> {
          for (Lifetime lifetime : own) {
            long from = Math.max(lifetime.range().from(), range.from());
            long to = Math.min(lifetime.range().to(), range.to());
            if (from <= to) {
              open.add(new Steps(node, lifetime, from, to));
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
    long hlc = first.next;
    if (hlc == first.to) {
      return new Sighting(first.node, hlc, first.assuredAtEnd());
    }
    first.next = first.to - hlc > STEP ? hlc + STEP : first.to;
    open.add(first);
    return new Sighting(first.node, hlc, microsBetween(hlc, first.next));
  }

  private static long microsBetween(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  /** One lifetime, as far as it lies in the range. */
  private static final class Steps {
    private final String node;
    private final Lifetime lifetime;
    private final long to;
    private long next;

    Steps(String node, Lifetime lifetime, long from, long to) {
      this.node = node;
      this.lifetime = lifetime;
      this.next = from;
      this.to = to;
    }

    /** The lifetime may go on beyond the range. */
    long assuredAtEnd() {
      long beyond =
          Math.min(microsBetween(to, lifetime.range().to()), EventSource.MAX_PROMISE_MICROS);
      return beyond + EventSource.assuredMicros(lifetime.promiseMicros());
    }
  }
}
