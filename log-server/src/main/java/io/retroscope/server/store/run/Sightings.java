// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the lifetimes of all nodes in order of stamp. It returns both ends of each range
 * exactly, and between them as many sightings as are needed for each to promise the next. Used by
 * one thread.
 */
public final class Sightings implements Iterator<Sighting> {
  /**
   * The distance between sightings, as large as possible, because a promise up to this length is
   * accepted wherever it is exported to.
   */
  private static final long STEP = EventSource.MAX_PROMISE_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));

  public Sightings(Collection<Presence> presences, HlcRange range) {
    for (Presence presence : presences) {
      Steps steps = new Steps(presence, range);
      if (steps.advance()) {
        open.add(steps);
      }
    }
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
    private final Iterator<Stay> stays;
    private final HlcRange range;
    private @Nullable Stay stay;
    private long to;
    private long next;

    Steps(Presence presence, HlcRange range) {
      this.node = presence.node();
      this.range = range;
      long first =
          presence
              .latest(range.from())
              .filter(before -> before.to() >= range.from())
              .map(Stay::from)
              .orElse(range.from());
      this.stays = presence.from(first);
    }

    /** Advances to the next lifetime; returns whether there is one. */
    boolean advance() {
      Stay following = stays.hasNext() ? stays.next() : null;
      if (following == null || following.from() > range.to()) {
        return false;
      }
      stay = following;
      next = Math.max(following.from(), range.from());
      to = Math.min(following.to(), range.to());
      return true;
    }

    /** The promise at the last stamp of the range; the lifetime may extend beyond it. */
    long assuredAtEnd() {
      Stay present = Objects.requireNonNull(stay);
      long beyond = Math.min(microsBetween(to, present.to()), EventSource.MAX_PROMISE_MICROS);
      return beyond + present.assuredMicros();
    }
  }
}
