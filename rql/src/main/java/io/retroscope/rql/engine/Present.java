// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.EventSource;

/** The present of a source that receives further events. Thread-safe. */
public interface Present {
  /** The server's clock, in microseconds; this is NOW. */
  long nowMicros();

  /**
   * Packed: no more events are expected at or below this stamp. {@code HlcTimestamp.MAX_PACKED} if
   * no node sends at present, so that everything that will be stored for now is stored.
   */
  long completeHlc();

  /**
   * The same, as the frontiers of an opened view show it, for a source whose nodes are not known
   * without one.
   *
   * @param before {@link #completeHlc}, from before the view was opened
   */
  default long completeHlc(EventSource.View view, long before) {
    return before;
  }
}
