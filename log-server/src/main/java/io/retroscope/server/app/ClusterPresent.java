// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.engine.Present;

/**
 * The present of a server of a cluster: its clock, and the lowest frontier of the runs that are not
 * idle, of all partitions. Thread-safe.
 *
 * <p>A run is idle if its frontier is further back than the idle timeout and than its promised
 * heartbeats assure. An answer has warnings of its own about runs that were silent for longer than
 * they promised, and about missing blocks.
 *
 * @param idleMicros the idle timeout
 */
record ClusterPresent(PhysicalClock clock, long idleMicros) implements Present {
  @Override
  public long nowMicros() {
    return clock.micros();
  }

  /** Nothing is known of the nodes before a view is open. */
  @Override
  public long completeHlc() {
    return HlcTimestamp.MAX_PACKED;
  }

  @Override
  public long completeHlc(EventSource.View view, long before) {
    long now = nowMicros();
    return view.frontiers().stream()
        .filter(frontier -> !isIdle(frontier, now))
        .mapToLong(NodeFrontier::hlc)
        .min()
        .orElse(before);
  }

  private boolean isIdle(NodeFrontier frontier, long now) {
    return now - HlcTimestamp.micros(frontier.hlc())
        > Math.max(idleMicros, frontier.assuredMicros());
  }
}
