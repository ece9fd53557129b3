package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Lifetimes.Lifetime;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * An iterator over the lifetimes of all nodes in order of stamp. It returns both ends of each range
 * exactly, and between them as many sightings as are needed for each to promise the next. Used by
 * one thread.
 */
final class Sightings implements Iterator<Sighting> {
  /**
   * The distance between sightings, as large as possible, because a promise up to this length is
   * accepted wherever it is exported to.
   */
  private static final long STEP = EventSource.MAX_PROMISE_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));

  Sightings(Lifetimes.Snapshot lifetimes, HlcRange range) {
    lifetimes.forEachTouching(
        range, (node, touching) -> open.add(new Steps(node, touching, range)));
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
      Sighting last = new Sighting(first.node, hlc, first.assuredAtEnd());
      if (first.advance()) {
        open.add(first);
      }
      return last;
    }
    first.next = first.to - hlc > STEP ? hlc + STEP : first.to;
    open.add(first);
    return new Sighting(first.node, hlc, microsBetween(hlc, first.next));
  }

  private static long microsBetween(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  /** One node's lifetimes, limited to the range. */
  private static final class Steps {
    private final String node;
    private final Iterator<Lifetime> lifetimes;
    private final HlcRange range;
    private Lifetime lifetime;
    private long to;
    private long next;

    Steps(String node, List<Lifetime> touching, HlcRange range) {
      this.node = node;
      this.lifetimes = touching.iterator();
      this.range = range;
      this.lifetime = lifetimes.next();
      clip();
    }

    /** Advances to the next lifetime; returns whether there is one. */
    boolean advance() {
      boolean more = lifetimes.hasNext();
      if (more) {
        lifetime = lifetimes.next();
        clip();
      }
      return more;
    }

    private void clip() {
      next = Math.max(lifetime.range().from(), range.from());
      to = Math.min(lifetime.range().to(), range.to());
    }

    /** The promise at the last stamp of the range; the lifetime may extend beyond it. */
    long assuredAtEnd() {
      long beyond =
          Math.min(microsBetween(to, lifetime.range().to()), EventSource.MAX_PROMISE_MICROS);
      return beyond + EventSource.assuredMicros(lifetime.promiseMicros());
    }
  }
}
