// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import java.util.Optional;

/**
 * A source, such as a topic, in which events may wait for a while after they were sent. Its methods
 * are called often and must be quick. Thread-safe.
 */
public interface Inflow {
  /** Lower than every instant of a {@link MonotonicClock}: nothing has been read to the end yet. */
  long NEVER = Long.MIN_VALUE / 2;

  /**
   * The instant, by the server's {@link MonotonicClock}, up to which everything has been read and
   * published. Initially {@link #NEVER}; it never falls.
   */
  long completeAsOfNanos();

  /**
   * Packed: unread events are above this stamp, as far as their order shows; {@link
   * HlcTimestamp#MAX_PACKED} while nothing waits for longer than the idle timeout.
   */
  long bound();

  /** A sentence about what is unread, if the watermark waits for it whatever the nodes do. */
  default Optional<String> holding() {
    return Optional.empty();
  }
}
