package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;

/**
 * A way in on which events may wait for a while after they were sent, such as a topic. Asked often:
 * so answers must be quick. Thread-safe.
 */
public interface Inflow {
  /** Below every instant of a {@link MonotonicClock}: nothing has been read to its end yet. */
  long NEVER = Long.MIN_VALUE / 2;

  /**
   * By the server's {@link MonotonicClock}: whatever was there by then has been read and published.
   * {@link #NEVER} at first; it never falls.
   */
  long completeAsOfNanos();

  /**
   * Packed: what is known to wait unread is above it, as far as the order in which it waits tells;
   * {@link HlcTimestamp#MAX_PACKED} while nothing waits for longer than the idle timeout.
   */
  long bound();
}
