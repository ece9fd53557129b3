// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.live.MonotonicClock;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The alignment of all nodes' clocks by this server, from the evidence of all partitions. The same
 * evidence gives the same offsets at each server. Thread-safe.
 */
/*
 * A past answer uses the evidence of its view. A live one, which comes often, uses that of a moment
 * before: a bound that was right remains right, because it widens as it ages.
 */
final class ClusterClocks {
  private static final long LEAST_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Live queries cause the alignment for at most one part in this number of a thread's time. */
  private static final long LEAST_SHARE = 20;

  /** Older offsets are those of a time when no view of the present asked for any. */
  private static final long MOST_PERIODS = 4;

  private final AlignmentSettings settings;
  private final MonotonicClock clock;
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile @Nullable Aligned latest;
  private volatile long usedNanos;

  private record Aligned(
      List<EvidenceMark> marks, ClockOffsets offsets, long doneNanos, long tookNanos) {}

  ClusterClocks(AlignmentSettings settings, MonotonicClock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** The offsets that follow from exactly this evidence. */
  ClockOffsets of(List<EvidenceMark> marks, Supplier<Iterator<Event>> evidence) {
    Aligned known = latest;
    if (known == null || !known.marks().equals(marks)) {
      known = align(marks, evidence.get());
      latest = known;
    }
    return known.offsets();
  }

  private Aligned align(List<EvidenceMark> marks, Iterator<Event> evidence) {
    long begin = clock.nanos();
    ClockAlignment alignment = new ClockAlignment(settings);
    evidence.forEachRemaining(alignment::record);
    alignment.endHistory();
    ClockOffsets offsets = alignment.offsets();
    long end = clock.nanos();
    return new Aligned(List.copyOf(marks), offsets, end, end - begin);
  }

  /**
   * The offsets for a view of the present, which may follow from evidence of just before.
   *
   * @param refresh aligns the clocks again from the present evidence, in another thread, and calls
   *     {@link #refreshed} at the end
   */
  ClockOffsets recent(
      List<EvidenceMark> marks, Supplier<Iterator<Event>> evidence, Runnable refresh) {
    usedNanos = clock.nanos();
    Aligned known = latest;
    if (known == null) {
      return of(marks, evidence);
    }
    long age = clock.nanos() - known.doneNanos();
    long period = Math.max(LEAST_PERIOD_NANOS, LEAST_SHARE * known.tookNanos());
    if (age > MOST_PERIODS * period) {
      return of(marks, evidence);
    }
    if (age > period && !known.marks().equals(marks) && refreshing.compareAndSet(false, true)) {
      refresh.run();
    }
    return known.offsets();
  }

  /** The offsets if a view of the present has used any within a second, or in any case. */
  Optional<ClockOffsets> known(boolean anyAge) {
    Aligned known = latest;
    boolean isFresh = clock.nanos() - usedNanos < LEAST_PERIOD_NANOS;
    return known != null && (anyAge || isFresh) ? Optional.of(known.offsets()) : Optional.empty();
  }

  void refreshed() {
    refreshing.set(false);
  }
}
