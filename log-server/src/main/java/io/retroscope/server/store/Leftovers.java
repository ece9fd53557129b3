package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Lifetimes.Lifetime;
import io.retroscope.server.store.StoreSchema.LifetimeStart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What is left of nodes when retention has removed their events. */
final class Leftovers {
  /** How long the numbers of a run's blocks are kept, so that one sent again is still known. */
  static final long KEPT_MICROS = TimeUnit.DAYS.toMicros(7);

  /** Removed in one change, which other writers wait for. */
  private static final int LIFETIMES_PER_CHANGE = 5_000;

  private final StoreState.Published published;
  private final Lifetimes.Snapshot lifetimes;
  private final long begin;

  /**
   * Looks at a store.
   *
   * @param begin packed, where history begins
   */
  Leftovers(StoreState.Published published, Lifetimes.Snapshot lifetimes, long begin) {
    this.published = published;
    this.lifetimes = lifetimes;
    this.begin = begin;
  }

  /**
   * The changes that let it go.
   *
   * @param heard whether a run is heard from now: such a one is not closed, however old its stamps
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

  /** A block that came late may hold old events and be there still. */
  private boolean hasEvents(Incarnation run) {
    if (run.lastHlc() < run.startHlc()) {
      return false;
    }
    HlcRange range = new HlcRange(run.startHlc(), run.lastHlc());
    String node = run.name().node();
    return !published.index().overlapping(range, zone -> zone.reaches(node, range)).isEmpty();
  }

  /** Of a node that may come back, the last one stays: so it is known when it was heard from. */
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
