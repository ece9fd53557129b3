// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The ranges of a walk in which stamps were ahead of every clock, so that more time passed than the
 * stamps show. Used by one thread.
 */
public final class LostTime {
  /** The maximum number of warnings of one query. */
  private static final int MAX_WARNINGS = 20;

  private final Predicate<String> counts;

  /** By first stamp; while a range is the last of its node, its end may grow. */
  private final TreeMap<Long, Ahead> ranges = new TreeMap<>();

  private final Set<Long> named = new HashSet<>();
  private int sent;
  private boolean areRunsNamed;

  /**
   * Creates an empty collection.
   *
   * @param counts whether the query includes a node
   */
  LostTime(Predicate<String> counts) {
    this.counts = counts;
  }

  /** Adds a range, unless it is outside the one that is walked, or of no node that counts. */
  void add(Ahead ahead, HlcRange walked) {
    if (ahead.range().overlaps(walked) && ahead.nodes().stream().anyMatch(counts)) {
      ranges.merge(ahead.range().from(), ahead, LostTime::together);
    }
  }

  /** The most time that stamps lost between two of them, in microseconds. */
  public long micros(long fromHlc, long toHlc) {
    HlcRange range = new HlcRange(fromHlc, toHlc);
    return ranges.values().stream()
        .filter(ahead -> ahead.range().overlaps(range))
        .mapToLong(Ahead::aheadMicros)
        .sum();
  }

  /** A sentence about all ranges together; empty if there is none. */
  public Optional<String> sentence() {
    return ranges.values().stream().reduce(LostTime::together).map(Ahead::sentence);
  }

  private static Ahead together(Ahead first, Ahead next) {
    Set<String> nodes = new HashSet<>(first.nodes());
    nodes.addAll(next.nodes());
    long to = Math.max(first.range().to(), next.range().to());
    return new Ahead(
        new HlcRange(first.range().from(), to),
        nodes,
        Math.max(first.aheadMicros(), next.aheadMicros()));
  }

  /**
   * Returns the sentences that were not returned before, and none that {@link #nameRuns} covered.
   * There is one for all ranges that overlap by the clocks.
   */
  List<String> news() {
    List<String> sentences = new ArrayList<>();
    Set<Long> group = new HashSet<>();
    Ahead whole = null;
    for (Ahead ahead : ranges.values()) {
      if (whole != null && beginMicros(ahead) > HlcTimestamp.micros(whole.range().to())) {
        addNews(whole, group, sentences);
        whole = null;
        group.clear();
      }
      whole = whole == null ? ahead : together(whole, ahead);
      group.add(ahead.range().from());
    }
    if (whole != null) {
      addNews(whole, group, sentences);
    }
    return sentences;
  }

  private void addNews(Ahead whole, Set<Long> group, List<String> sentences) {
    if (group.stream().noneMatch(named::contains) && sent < MAX_WARNINGS) {
      sent++;
      sentences.add(whole.sentence());
    }
    named.addAll(group);
  }

  private static long beginMicros(Ahead ahead) {
    return HlcTimestamp.micros(ahead.range().from()) - ahead.aheadMicros();
  }

  /** Records that a sentence about the runs that all ranges so far hide was sent. */
  void nameRuns() {
    areRunsNamed = true;
    named.addAll(ranges.keySet());
  }

  /** Whether a sentence about hidden runs was sent. */
  boolean areRunsNamed() {
    return areRunsNamed;
  }
}
