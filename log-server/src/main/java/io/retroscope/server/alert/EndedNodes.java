// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Notice;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.health.FatalErrors;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes whose values ended with the cuts at which episodes fell: a predicate may no longer hold
 * only because they are gone. Immutable.
 */
final class EndedNodes {
  private static final int MAX_NAMED = 5;

  /** The largest number of cuts that are looked at for one decision. */
  private static final int MAX_CUTS = 100;

  private static final Logger logger = LoggerFactory.getLogger(EndedNodes.class);

  /** What ended by the packed stamp of the cut. */
  private final Map<Long, Set<String>> ends = new HashMap<>();

  private EndedNodes() {}

  /**
   * Finds the nodes that ended with the episodes of some notices. Never throws: if the events
   * cannot be read, or the episodes fell at very many different cuts, some reasons are not known.
   */
  static EndedNodes of(List<Notice> notices, EventSource source) {
    EndedNodes ended = new EndedNodes();
    long[] falls =
        notices.stream()
            .filter(EndedNodes::mayNeedReason)
            .flatMap(notice -> notice.fall().stream())
            .mapToLong(Edge::hlc)
            .distinct()
            .limit(MAX_CUTS)
            .toArray();
    if (falls.length > 0) {
      ended.read(falls, source);
    }
    return ended;
  }

  /** Reads only the cuts themselves: hours may be between them after an outage. */
  private void read(long[] falls, EventSource source) {
    try (EventSource.View view = source.open()) {
      for (long fall : falls) {
        Iterator<Event> lifetimes = view.scan(Set.of(), new HlcRange(fall, fall));
        lifetimes.forEachRemaining(this::add);
      }
    } catch (RuntimeException | StackOverflowError e) {
      FatalErrors.check(e);
      logger.warn("alerts are resolved without the nodes that ended, which cannot be read", e);
    }
  }

  /** The number of cuts with which nodes ended. */
  int cutCount() {
    return ends.size();
  }

  private static boolean mayNeedReason(Notice notice) {
    return notice.kind() == Notice.Kind.RESOLVED && notice.reason().isEmpty();
  }

  private void add(Event event) {
    boolean isStop = event.body() instanceof EventBody.Stop;
    ends.computeIfAbsent(event.hlc(), hlc -> new TreeSet<>())
        .add(event.node() + (isStop ? " stopped" : " started anew"));
  }

  /** The reason of a notice; of a fall with which nodes ended, a sentence about them. */
  String reason(Notice notice) {
    Optional<Set<String>> names =
        mayNeedReason(notice)
            ? notice.fall().flatMap(fall -> Optional.ofNullable(ends.get(fall.hlc())))
            : Optional.empty();
    return names.map(EndedNodes::sentence).orElse(notice.reason());
  }

  private static String sentence(Set<String> ends) {
    String named =
        ends.stream().limit(MAX_NAMED).map(end -> "node " + end).collect(Collectors.joining(", "));
    int more = ends.size() - MAX_NAMED;
    String whose = ends.size() == 1 ? "its" : "their";
    return named
        + (more > 0 ? ", and " + more + " more" : "")
        + ": "
        + whose
        + " values no longer count";
  }
}
