// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the sightings of nodes in order of stamp, made from the ranges in which they
 * were seen. It returns both ends of each range exactly, and between them as many sightings as are
 * needed for each to promise the next. Used by one thread.
 */
public final class Sightings implements Iterator<Sighting> {
  /**
   * The distance between sightings, as large as possible, because a promise up to this length is
   * accepted wherever it is exported to.
   */
  private static final long STEP = EventSource.MAX_PROMISE_MICROS << HlcTimestamp.LOGICAL_BITS;

  private final PriorityQueue<Steps> open =
      new PriorityQueue<>(Comparator.<Steps>comparingLong(steps -> steps.next));

  public Sightings(Collection<? extends Presence> presences, HlcRange range) {
    for (Presence presence : presences) {
      Steps steps = new Steps(presence, range);
      if (!steps.isEnded()) {
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
    Sighting sighting = first.take();
    if (!first.isEnded()) {
      open.add(first);
    }
    return sighting;
  }

  /** The sightings of one node. */
  private static final class Steps {
    private final String node;
    private final Iterator<Stay> stays;
    private final HlcRange range;
    private @Nullable Stay stay;
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
      advance();
    }

    /** Advances to the next range. */
    private void advance() {
      stay = stays.hasNext() ? stays.next() : null;
      if (stay != null && stay.from() > range.to()) {
        stay = null;
      }
      next = stay == null ? Long.MAX_VALUE : Math.max(stay.from(), range.from());
    }

    boolean isEnded() {
      return stay == null;
    }

    Sighting take() {
      Stay present = stay;
      if (present == null) {
        throw new NoSuchElementException("no more ranges of " + node);
      }
      long hlc = next;
      boolean isSeen = hlc == present.from() || hlc == present.to();
      long to = Math.min(present.to(), range.to());
      if (hlc == to) {
        advance();
        return new Sighting(node, hlc, assuredAt(to, present), isSeen);
      }
      next = to - hlc > STEP ? hlc + STEP : to;
      return new Sighting(node, hlc, Presence.micros(hlc, next), isSeen);
    }

    /** The promise at the last stamp of the range; the node may have been seen beyond it. */
    private static long assuredAt(long to, Stay stay) {
      long beyond = Math.min(Presence.micros(to, stay.to()), EventSource.MAX_PROMISE_MICROS);
      return beyond + stay.assuredMicros();
    }
  }
}
