// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of the runs whose blocks have gaps, whether they still send or not. A gap that is not
 * filled delays live queries, so operators must be informed. Guarded by its tracker.
 */
final class MissingBlocksLog {
  private static final Logger logger = LoggerFactory.getLogger(MissingBlocksLog.class);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Set<Lane> lanes = new LinkedHashSet<>();

  /** Notes whether a run currently has gaps. */
  void note(Lane lane, long now) {
    if (lane.incarnation.gapCount() == 0 || lane.forgotten) {
      lanes.remove(lane);
    } else if (lanes.add(lane)) {
      lane.gapSinceNanos = now;
      lane.gapReported = false;
    }
  }

  Collection<Lane> lanes() {
    return lanes;
  }

  void report(long now, long idleNanos) {
    for (Lane lane : lanes) {
      boolean delays = !lane.node.isEnded(lane);
      if (delays && !lane.gapReported && now - lane.gapSinceNanos > PATIENCE_NANOS) {
        lane.gapReported = true;
        logger.warn(
            "live queries wait for {} blocks of node {}, incarnation {}, that have not arrived for"
                + " {} s; they count as lost after {} s",
            lane.incarnation.gapCount(),
            lane.node.name,
            lane.incarnation.name().incarnation(),
            TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS),
            TimeUnit.NANOSECONDS.toSeconds(Math.max(idleNanos, Lane.STUCK_NANOS)));
      }
    }
  }
}
