// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.time.Duration;

/**
 * The intervals at which a recorder passes blocks to its sink. Immutable.
 *
 * @param gatherNanos the time for which events are gathered before a block is sealed, 0 or more
 * @param heartbeatNanos the interval between heartbeats of an idle node, 0 or more
 * @param chosen whether the service has configured the interval; if not, it is the default
 */
public record Pace(long gatherNanos, long heartbeatNanos, boolean chosen) {
  /** Checks the ranges. */
  public Pace {
    if (gatherNanos < 0 || heartbeatNanos < 0) {
      throw new IllegalArgumentException(
          "intervals must not be negative: " + gatherNanos + ", " + heartbeatNanos);
    }
  }

  /** The same interval for both. */
  public static Pace of(Duration interval, boolean chosen) {
    return new Pace(interval.toNanos(), interval.toNanos(), chosen);
  }

  /** For each interval, the longer of this pace's and the given one. */
  public Pace atLeast(Duration gather, Duration heartbeat) {
    return new Pace(
        Math.max(gatherNanos, gather.toNanos()),
        Math.max(heartbeatNanos, heartbeat.toNanos()),
        chosen);
  }
}
