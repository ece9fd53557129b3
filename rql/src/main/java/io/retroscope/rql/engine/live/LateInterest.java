// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import java.util.Collection;
import java.util.Set;

/**
 * The events that change the rows of a STREAM if they come late. Immutable.
 *
 * @param takesHeartbeats whether heartbeats matter, too
 */
public record LateInterest(Set<String> logs, Set<String> onlyNodes, boolean takesHeartbeats) {
  /** Above every stamp: no event matters. */
  public static final long NONE = HlcTimestamp.MAX_PACKED;

  /** The interest in every event. */
  public static final LateInterest ALL = new LateInterest(Set.of(), Set.of(), true);

  /** Copies the sets. */
  public LateInterest {
    logs = Set.copyOf(logs);
    onlyNodes = Set.copyOf(onlyNodes);
  }

  static LateInterest of(BoundPlan plan) {
    QueryPlan.Input input = plan.input();
    return new LateInterest(input.logs(), Set.copyOf(input.onlyNodes()), input.liveNodes());
  }

  /** Whether events of these logs may matter; starts and stops are in the log without a name. */
  public boolean mayTake(Collection<String> some) {
    return takesHeartbeats || some.contains("") || some.stream().anyMatch(logs::contains);
  }

  /** Returns the packed stamp of the first event of a block that matters; {@link #NONE} if none. */
  public long first(EventBlock block) {
    if (takesHeartbeats) {
      return block.firstHlc();
    }
    for (int row = 0; row < block.size(); row++) {
      if (concerns(block, row)) {
        return block.hlc(row);
      }
    }
    return NONE;
  }

  private boolean concerns(EventBlock block, int row) {
    boolean isOfNode =
        onlyNodes.isEmpty() || onlyNodes.contains(block.nodes().get(block.nodeIndex(row)));
    return isOfNode
        && switch (block.kind(row)) {
          case START, STOP -> true;
          case HEARTBEAT -> false;
          case STATE_CHANGE, LOG_LINE, SEND, RECEIVE ->
              logs.contains(block.logs().get(block.logIndex(row)));
        };
  }
}
