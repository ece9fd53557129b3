// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.server.live.WatermarkTracker.LaneStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of nodes that appear, become silent, return or stop, or whose runs overlap. Used by one
 * thread.
 */
final class NodeLog {
  /**
   * The number of nodes that one comparison names for the same change; further ones are only
   * counted.
   */
  static final int MAX_NAMED = 10;

  private static final Logger logger = LoggerFactory.getLogger(NodeLog.class);

  private final long idleMicros;
  private Map<String, State> before = Map.of();
  private Set<String> overlapping = Set.of();
  private boolean begun;

  private enum State {
    HEARD,
    SILENT,
    STOPPED
  }

  private enum Change {
    APPEARED("appeared"),
    SILENT("is silent: live queries continue without it"),
    BACK("is back"),
    STOPPED("has stopped");

    private final String text;

    Change(String text) {
      this.text = text;
    }
  }

  /**
   * A log.
   *
   * @param idleMicros the longest silence of an active node, unless it promised a longer one
   */
  NodeLog(long idleMicros) {
    this.idleMicros = idleMicros;
  }

  /**
   * Compares with the previous call, and logs the changes; the first call logs nothing. Called
   * periodically.
   */
  void note(List<LaneStatus> lanes) {
    Map<String, State> now = new HashMap<>();
    for (LaneStatus lane : lanes) {
      now.merge(
          lane.incarnation().name().node(), state(lane), (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
    if (begun) {
      // A node that is silent again by its first comparison has appeared before it.
      now.replaceAll((node, state) -> before.containsKey(node) ? state : State.HEARD);
      log(changes(now));
    }
    begun = true;
    before = now;
  }

  /** Logs the nodes whose runs overlap and did not before, also those of the first call. */
  void noteOverlaps(List<Overlap> overlaps) {
    Map<String, Overlap> now = new TreeMap<>();
    overlaps.forEach(overlap -> now.put(overlap.node(), overlap));
    Set<String> fresh = new TreeSet<>(now.keySet());
    fresh.removeAll(overlapping);
    fresh.stream().limit(MAX_NAMED).map(now::get).map(Overlap::sentence).forEach(logger::warn);
    if (fresh.size() > MAX_NAMED) {
      logger.warn("and runs of {} more nodes overlap", fresh.size() - MAX_NAMED);
    }
    overlapping = now.keySet();
  }

  private State state(LaneStatus lane) {
    if (lane.ended()) {
      return State.STOPPED;
    }
    long patience = Math.max(idleMicros, lane.incarnation().assuredMicros());
    return lane.counts() || lane.silentMicros() <= patience ? State.HEARD : State.SILENT;
  }

  private Map<Change, List<String>> changes(Map<String, State> now) {
    Map<Change, List<String>> changes = new EnumMap<>(Change.class);
    now.forEach(
        (node, state) -> {
          State old = before.get(node);
          if (old != state) {
            Change change =
                switch (state) {
                  case HEARD -> old == null ? Change.APPEARED : Change.BACK;
                  case SILENT -> Change.SILENT;
                  case STOPPED -> Change.STOPPED;
                };
            changes.computeIfAbsent(change, unused -> new ArrayList<>()).add(node);
          }
        });
    return changes;
  }

  private static void log(Map<Change, List<String>> changes) {
    changes.forEach(
        (change, nodes) -> {
          nodes.stream().sorted().limit(MAX_NAMED).forEach(node -> log(change, node));
          if (nodes.size() > MAX_NAMED) {
            logger.info("and {} more nodes: {}", nodes.size() - MAX_NAMED, change.text);
          }
        });
  }

  private static void log(Change change, String node) {
    if (change == Change.SILENT) {
      logger.warn("node {} {}", node, change.text);
    } else {
      logger.info("node {} {}", node, change.text);
    }
  }
}
