// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

/** The present of a source that receives further events. Thread-safe. */
public interface Present {
  /** The server's clock, in microseconds; this is NOW. */
  long nowMicros();

  /**
   * Packed: no more events are expected at or below this stamp. {@code HlcTimestamp.MAX_PACKED} if
   * no node sends at present, so that everything that will be stored for now is stored.
   */
  long completeHlc();
}
