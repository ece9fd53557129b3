package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Lifetimes.Lifetime;
import io.retroscope.server.store.StoreSchema.LifetimeStart;
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

  /** The number of lifetimes that one change removes. Other writers wait for the change. */
  private static final int LIFETIMES_PER_CHANGE = 5_000;

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
    if (!forgotten.isEmpty() || !gone.isEmpty()) {
      changes.add(new Submission.Expiry(forgotten, gone, List.of()));
    }
    List<LifetimeStart> old = oldLifetimes();
    for (int from = 0; from < old.size(); from += LIFETIMES_PER_CHANGE) {
      int to = Math.min(old.size(), from + LIFETIMES_PER_CHANGE);
      changes.add(new Submission.Expiry(List.of(), List.of(), old.subList(from, to)));
    }
    return changes;
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

  /**
   * The lifetimes that can be removed. The last one of a node that may return is kept, because it
   * holds the time at which the node was last seen.
   */
  private List<LifetimeStart> oldLifetimes() {
    List<LifetimeStart> old = new ArrayList<>();
    HlcRange before = new HlcRange(HlcTimestamp.MIN_PACKED, begin);
    lifetimes.forEachTouching(
        before,
        (node, ranges) -> {
          long last = lifetimes.lastStart(node);
          boolean stays = !published.runs().isForgotten(node);
          for (Lifetime lifetime : ranges) {
            HlcRange range = lifetime.range();
            if (range.to() <= begin && !(stays && range.from() == last)) {
              old.add(new LifetimeStart(node, range.from()));
            }
          }
        });
    return old;
  }
}
