package io.retroscope.sink;

import java.time.Duration;

/**
 * The intervals at which a recorder hands blocks to its sink.
 *
 * @param gatherNanos how long events are gathered before a block is sealed, 0 or more
 * @param heartbeatNanos how often an idle node is heard from, 0 or more
 * @param chosen whether the service has set the interval; if not, it is the default
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

  /** This pace where it is slower, else the given intervals. */
  public Pace atLeast(Duration gather, Duration heartbeat) {
    return new Pace(
        Math.max(gatherNanos, gather.toNanos()),
        Math.max(heartbeatNanos, heartbeat.toNanos()),
        chosen);
  }
}
