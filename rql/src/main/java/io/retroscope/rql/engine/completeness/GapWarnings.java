// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The warnings of a query about ranges in which events are lost, once per range. Used by one
 * thread.
 */
final class GapWarnings {
  /** The maximum number of warnings of one query, because there may be any number of gaps. */
  private static final int MAX_WARNINGS = 20;

  /** The maximum number of gaps that are remembered so that none is reported twice. */
  private static final int MAX_REPORTED = 100_000;

  private final RowSink sink;
  private final LostTime ahead;
  private final Map<Place, Long> reported = new HashMap<>();
  private final Set<String> forwarded = new HashSet<>();
  private int warnings;

  /**
   * The beginning of a gap. While it is the latest gap of its node, its end and its count may grow.
   */
  private record Place(String node, long fromHlc) {}

  /**
   * Creates warnings that go to a sink.
   *
   * @param ahead collects the ranges in which stamps were ahead of every clock
   */
  GapWarnings(RowSink sink, LostTime ahead) {
    this.sink = sink;
    this.ahead = ahead;
  }

  /** Warns of the gaps that overlap the range, with one sentence per node. */
  void check(View view, HlcRange range) {
    Map<String, List<Gap>> byNode = new LinkedHashMap<>();
    for (Gap gap : view.gaps(range)) {
      Place place = new Place(gap.node(), gap.range().from());
      if (reported.getOrDefault(place, 0L) < gap.eventCount() && reported.size() < MAX_REPORTED) {
        reported.put(place, gap.eventCount());
        byNode.computeIfAbsent(gap.node(), node -> new ArrayList<>()).add(gap);
      }
    }
    for (List<Gap> gaps : byNode.values()) {
      if (warnings++ < MAX_WARNINGS) {
        sink.warning(text(gaps));
      } else if (warnings == MAX_WARNINGS + 1) {
        sink.warning("more events are lost than can be listed here");
      }
    }
  }

  /**
   * Warns of what else the source knows to be missing, each sentence once, except for stamps that
   * were ahead of every clock, which are collected.
   *
   * @param range also has the events that set the state at the first cut
   * @param firstHlc packed, the start of the cuts
   * @param counts whether the query uses values of a node
   */
  void checkSource(View view, HlcRange range, long firstHlc, Predicate<String> counts) {
    for (Incompleteness reason : view.reasons(range)) {
      boolean concerns =
          !(reason instanceof Incompleteness.AfterEnd) // The horizon of the query has it.
              && (reason.lasts() || reason.range().to() >= firstHlc)
              && (reason.nodes().isEmpty() || reason.nodes().stream().anyMatch(counts));
      if (reason instanceof Ahead some) {
        ahead.add(some, new HlcRange(Math.max(firstHlc, range.from()), range.to()));
      } else if (concerns && forwarded.size() < MAX_WARNINGS && forwarded.add(reason.sentence())) {
        sink.warning(reason.sentence());
      }
    }
  }

  private static String text(List<Gap> gaps) {
    long count = gaps.stream().mapToLong(Gap::eventCount).sum();
    return "%d %s of node %s %s lost%s between %s and %s: cuts there may show older state"
        .formatted(
            count,
            count == 1 ? "event" : "events",
            gaps.get(0).node(),
            count == 1 ? "is" : "are",
            gaps.size() == 1 ? "" : " in " + gaps.size() + " places",
            new HlcTimestamp(gaps.stream().mapToLong(gap -> gap.range().from()).min().orElse(0)),
            new HlcTimestamp(gaps.stream().mapToLong(gap -> gap.range().to()).max().orElse(0)));
  }
}
