// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.run.Incarnation;
import java.util.HashMap;
import java.util.Map;

/** The runs of one node. Guarded by their tracker. */
final class NodeLanes {
  final String name;
  final Map<Incarnation.Name, Lane> running = new HashMap<>();

  /** The number of runs that hold the watermark. */
  int counting;

  /** The latest start of a run that has everything that its predecessors recorded. */
  private long supersededBelow = Long.MIN_VALUE;

  private int laneCount;

  NodeLanes(String name) {
    this.name = name;
  }

  Lane open(Incarnation run, long now) {
    laneCount++;
    return new Lane(this, run, now);
  }

  /** Notes that a run was dropped; returns whether it was the last one. */
  boolean close() {
    return --laneCount == 0;
  }

  /** Notes the state of a run; returns whether earlier runs may have ended because of it. */
  boolean heard(Incarnation run) {
    boolean supersedes =
        run.startSeen() && !run.predecessorPending() && run.startHlc() > supersededBelow;
    if (supersedes) {
      supersededBelow = run.startHlc();
    }
    return supersedes;
  }

  /** Whether the run has stopped, or a later one has superseded it. */
  boolean isEnded(Lane lane) {
    return lane.incarnation.isStopped() || lane.incarnation.startHlc() < supersededBelow;
  }

  /** Packed: the stamp up to which the events of its runs that have not ended are known. */
  long knownHlc() {
    return running.values().stream().mapToLong(Lane::frontier).max().orElse(Long.MIN_VALUE);
  }

  /** What of the events of its runs that have not ended is not known; at least one has not. */
  Incompleteness unheard() {
    return running.values().stream()
        .filter(lane -> lane.incarnation.gapCount() > 0)
        .findFirst()
        .map(Lane::unheard)
        .orElseGet(() -> new Incompleteness.Silent(name, knownHlc()));
  }

  /** Whether live cuts exclude the node. */
  boolean isMissing() {
    return counting == 0 && !running.isEmpty();
  }
}
