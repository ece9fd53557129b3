// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Lifetimes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The records of nodes that remain after retention has removed their events. */
final class Leftovers {
  /**
   * The time for which the block numbers of a run are kept, so that a block that is sent again is
   * still recognised.
   */
  static final long KEPT_MICROS = TimeUnit.DAYS.toMicros(7);

  /**
   * The number of runs or nodes in one change: other writers wait for it, and in a cluster it is a
   * record of the topic, whose size is limited.
   */
  private static final int NAMES_PER_CHANGE = 500;

  private final StoreState.Published published;
  private final Lifetimes.Snapshot lifetimes;
  private final long begin;

  /**
   * Examines a store.
   *
   * @param begin packed, where history begins
   */
  Leftovers(StoreState.Published published, Lifetimes.Snapshot lifetimes, long begin) {
    this.published = published;
    this.lifetimes = lifetimes;
    this.begin = begin;
  }

  /**
   * The changes that remove the records.
   *
   * @param heard whether a run still sends: such a run is not closed, however old its stamps are
   */
  List<Submission.Expiry> changes(long nowMicros, Predicate<Incarnation.Name> heard) {
    List<Incarnation.Name> forgotten = new ArrayList<>();
    List<Incarnation.Name> gone = new ArrayList<>();
    for (Incarnation run : published.runs().all().values()) {
      if (run.lastHeardHlc() <= begin && !hasEvents(run)) {
        if (!run.isForgotten() && !heard.test(run.name())) {
          forgotten.add(run.name());
        } else if (run.isForgotten() && nowMicros - run.forgottenMicros() > KEPT_MICROS) {
          gone.add(run.name());
        }
      }
    }
    List<Submission.Expiry> changes = new ArrayList<>();
    for (List<Incarnation.Name> part : parts(forgotten)) {
      changes.add(new Submission.Expiry(part, List.of(), List.of(), nowMicros));
    }
    for (List<Incarnation.Name> part : parts(gone)) {
      changes.add(new Submission.Expiry(List.of(), part, List.of(), nowMicros));
    }
    List<String> old = lifetimes.beginningBefore(begin, published.runs()::isForgotten);
    for (List<String> part : parts(old)) {
      changes.add(new Submission.Expiry(List.of(), List.of(), part, nowMicros));
    }
    return changes;
  }

  private static <T> List<List<T>> parts(List<T> names) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < names.size(); from += NAMES_PER_CHANGE) {
      parts.add(names.subList(from, Math.min(names.size(), from + NAMES_PER_CHANGE)));
    }
    return parts;
  }

  /** Whether events of the run are still stored. A block that arrived late may hold old events. */
  private boolean hasEvents(Incarnation run) {
    if (run.lastHlc() < run.startHlc()) {
      return false;
    }
    HlcRange range = new HlcRange(run.startHlc(), run.lastHlc());
    String node = run.name().node();
    return !published.index().overlapping(range, zone -> zone.reaches(node, range)).isEmpty();
  }
}
