// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.List;

/**
 * The search for the node with the highest clock, from the newest evidence of messages and stamps.
 * Not thread-safe.
 */
final class DriverSearch {
  private final List<NodeClock> nodes;
  private final OffsetEstimator estimator;
  private final StampLead lead;
  private final DriverLog driverLog;
  private final double windowMicros;

  /**
   * A search over the nodes that the list contains at each check.
   *
   * @param windowMicros the silence after which a node cannot be the driver
   */
  DriverSearch(
      List<NodeClock> nodes,
      OffsetEstimator estimator,
      StampLead lead,
      DriverLog driverLog,
      double windowMicros) {
    this.nodes = nodes;
    this.estimator = estimator;
    this.lead = lead;
    this.driverLog = driverLog;
    this.windowMicros = windowMicros;
  }

  /** Determines which clock appears to be the highest at an instant, and notes it. */
  void check(double nowMicros) {
    int driver = driverLog.driver();
    int reference = driver == DriverLog.NONE ? 0 : driver;
    OffsetFrame frame = estimator.roughFrameNow(reference, nowMicros);
    double lagMicros = lead.aroundMicros(nowMicros);
    // The offset below the highest clock follows from the stamps of all nodes linked to the
    // reference.
    int top = reference;
    for (NodeClock clock : nodes) {
      int i = clock.index();
      if (frame.isBounded(i) && isHeard(clock, nowMicros) && isBelow(frame, top, i, nowMicros)) {
        top = i;
      }
    }
    int highest = top;
    double leastMicros = aheadMicros(frame, top, nowMicros, lagMicros);
    boolean topExceeded = leastMicros > 0;
    for (NodeClock clock : nodes) {
      if (!frame.isBounded(clock.index()) && isHeard(clock, nowMicros)) {
        double aheadMicros = Math.max(0, clock.aheadAt(nowMicros, lagMicros));
        if ((topExceeded && aheadMicros < leastMicros) || !isHeard(nodes.get(highest), nowMicros)) {
          highest = clock.index();
          leastMicros = aheadMicros;
        }
      }
    }
    boolean deposed =
        !isHeard(nodes.get(reference), nowMicros)
            || frame.high(highest) < 0
            || (!frame.isBounded(highest) && topExceeded);
    driverLog.looksHighest(highest, deposed, nowMicros);
  }

  private boolean isHeard(NodeClock clock, double nowMicros) {
    return clock.lastSeenMicros() >= nowMicros - windowMicros;
  }

  private boolean isBelow(OffsetFrame frame, int top, int i, double nowMicros) {
    return !isHeard(nodes.get(top), nowMicros) || frame.timeline(i) < frame.timeline(top);
  }

  /**
   * The minimum lead of the highest clock over a node, from the stamps of all nodes linked to it.
   */
  private double aheadMicros(OffsetFrame frame, int top, double nowMicros, double lagMicros) {
    double mostMicros = 0;
    for (NodeClock clock : nodes) {
      if (frame.isBounded(clock.index())) {
        double aboveMicros = frame.timeline(clock.index()) - frame.timeline(top);
        mostMicros = Math.max(mostMicros, clock.aheadAt(nowMicros, lagMicros) - aboveMicros);
      }
    }
    return mostMicros;
  }
}
