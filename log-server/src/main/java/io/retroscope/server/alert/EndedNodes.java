// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Notice;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes whose values ended with the cuts at which episodes fell: a predicate may no longer hold
 * only because they are gone. Immutable.
 */
final class EndedNodes {
  private static final int MAX_NAMED = 5;

  /** What ended by the packed stamp of the cut. */
  private final Map<Long, Set<String>> ends = new HashMap<>();

  private EndedNodes() {}

  /** Finds the nodes that ended with the episodes of some notices. */
  static EndedNodes of(List<Notice> notices, EventSource source) {
    EndedNodes ended = new EndedNodes();
    LongSummaryStatistics falls =
        notices.stream()
            .filter(EndedNodes::mayNeedReason)
            .flatMap(notice -> notice.fall().stream())
            .mapToLong(Edge::hlc)
            .summaryStatistics();
    if (falls.getCount() > 0) {
      try (EventSource.View view = source.open()) {
        Iterator<Event> lifetimes =
            view.scan(Set.of(), new HlcRange(falls.getMin(), falls.getMax()));
        lifetimes.forEachRemaining(ended::add);
      }
    }
    return ended;
  }

  private static boolean mayNeedReason(Notice notice) {
    return notice.kind() == Notice.Kind.RESOLVED && notice.reason().isEmpty();
  }

  private void add(Event event) {
    boolean isStop = event.body() instanceof EventBody.Stop;
    Set<String> others = ends.computeIfAbsent(event.hlc(), hlc -> new TreeSet<>());
    if (others.size() < MAX_NAMED) {
      others.add(event.node() + (isStop ? " stopped" : " started anew"));
    }
  }

  /** The reason of a notice; of a fall with which nodes ended, a sentence about them. */
  String reason(Notice notice) {
    Optional<Set<String>> names =
        mayNeedReason(notice)
            ? notice.fall().flatMap(fall -> Optional.ofNullable(ends.get(fall.hlc())))
            : Optional.empty();
    return names
        .map(some -> "node " + String.join(", node ", some) + ": its values no longer count")
        .orElse(notice.reason());
  }
}
