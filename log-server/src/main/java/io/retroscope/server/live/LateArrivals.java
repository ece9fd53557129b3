// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.server.store.run.Incarnation;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The lowest stamp of the events that arrived after a live query had passed it. Filled by the
 * store's writing thread, emptied by the query's.
 */
/*
 * The query announces a watermark before it opens its view. So a block that is not in the view is
 * reported afterwards, and is late if it begins at or below that watermark. A block that is in the
 * view may be reported too, which costs a walk but changes no row.
 */
final class LateArrivals {
  /** Events that come one after the other are taken together. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The longest time for which they are collected. */
  static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The share of its time that a query spends on late events is one in this number. */
  private static final long SHARE = 10;

  private final MonotonicClock clock;

  /** How far each run is known, for queries whose rows depend on heartbeats. */
  private final Map<Incarnation.Name, Long> frontiers = new HashMap<>();

  private LateInterest interest;
  private long announcedHlc = HlcTimestamp.MIN_PACKED;
  private long lowestHlc = LateInterest.NONE;
  private long firstNanos;
  private long lastNanos;
  private long restsUntilNanos;

  LateArrivals(MonotonicClock clock) {
    this.clock = clock;
    this.interest = LateInterest.ALL;
    this.restsUntilNanos = clock.nanos();
  }

  /** Sets which events matter; before that, all do. */
  synchronized void setInterest(LateInterest which) {
    interest = which;
    if (!which.takesHeartbeats()) {
      frontiers.clear();
    }
  }

  /** Notes the stamp that the query is about to pass, or had passed before it was interrupted. */
  synchronized void announce(long hlc) {
    announcedHlc = Math.max(announcedHlc, hlc);
  }

  synchronized void stored(EventBlock block) {
    if (block.firstHlc() > announcedHlc) {
      return;
    }
    long first = interest.first(block);
    if (first <= announcedHlc) {
      note(first);
    }
  }

  /** As {@link #stored}, for a block of which only a notice has come: all of it may matter. */
  synchronized void noticed(BlockNotice block) {
    if (block.firstHlc() <= announcedHlc && interest.mayTake(block.logs())) {
      note(block.firstHlc());
    }
  }

  /** Notes how far a run is known, before any of its heartbeats may be late. */
  synchronized void known(Incarnation run) {
    frontiers.putIfAbsent(run.name(), run.frontier());
  }

  synchronized void heard(Collection<Incarnation> incarnations) {
    if (interest.takesHeartbeats()) {
      incarnations.forEach(this::heard);
    }
  }

  private void heard(Incarnation run) {
    if (run.isForgotten()) {
      frontiers.remove(run.name());
      return;
    }
    Long before = frontiers.put(run.name(), run.frontier());
    long known = before == null ? run.startHlc() - 1 : before;
    if (known < run.frontier() && known < announcedHlc) {
      note(known + 1);
    }
  }

  private void note(long hlc) {
    lastNanos = clock.nanos();
    firstNanos = lowestHlc == LateInterest.NONE ? lastNanos : firstNanos;
    lowestHlc = Math.min(lowestHlc, hlc);
  }

  /**
   * Takes the lowest stamp; {@link LateInterest#NONE} if no event was late, or more are awaited.
   *
   * @param atOnce whether no more are awaited
   */
  synchronized long take(boolean atOnce) {
    long now = clock.nanos();
    boolean isDue = atOnce || now - lastNanos >= PAUSE_NANOS || now - firstNanos >= LONGEST_NANOS;
    if (!isDue || now < restsUntilNanos) {
      return LateInterest.NONE;
    }
    long taken = lowestHlc;
    lowestHlc = LateInterest.NONE;
    return taken;
  }

  /** Notes that a stamp was taken in vain, so that it is due at once. */
  synchronized void untake(long hlc) {
    lowestHlc = Math.min(lowestHlc, hlc);
  }

  /** The lowest stamp that waits to be taken; {@link LateInterest#NONE} if none does. */
  synchronized long lowest() {
    return lowestHlc;
  }

  /** Whether no event waits to be taken. */
  synchronized boolean isEmpty() {
    return lowestHlc == LateInterest.NONE;
  }

  /** Notes how long the query took for what it has taken. */
  synchronized void took(long nanos) {
    restsUntilNanos = clock.nanos() + (SHARE - 1) * nanos;
  }
}
