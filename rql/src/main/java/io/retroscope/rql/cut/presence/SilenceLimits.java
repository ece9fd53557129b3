// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;

/**
 * How long after its last sighting a node becomes silent. Immutable.
 *
 * @param idleTimeoutMicros how long a node may be silent in any case, above 0
 */
public record SilenceLimits(long idleTimeoutMicros) {
  /** The limit of a node that promises no heartbeats is at least this, in microseconds. */
  private static final long UNPROMISED_MICROS = 10_000_000;

  /** Its limit is at least this multiple of its longest gap. */
  private static final long GAPS = 10;

  /** Fewer sightings have no gap to compare with. */
  private static final int MIN_SIGHTINGS = 3;

  /** Stamps before 1980 are no readings of a clock: an import of ShiViz logs counts from 1970. */
  private static final long FIRST_READING_MICROS = 315_532_800_000_000L;

  /**
   * The limit of a node that promises heartbeats, and of any node of AT LIVE NODES, in
   * microseconds.
   *
   * @param assuredMicros as {@link EventSource.Sighting#assuredMicros}
   */
  public long promised(long assuredMicros) {
    return Math.max(idleTimeoutMicros, assuredMicros);
  }

  /** The least limit of a node without promises: with its history it may be longer. */
  long unpromised() {
    return UNPROMISED_MICROS;
  }

  /**
   * The limit of a node without promises, in microseconds.
   *
   * @param longestGap the longest gap between two of its ranges so far, in microseconds
   * @param sightings the number of its sightings so far
   */
  long unpromised(long longestGap, int sightings) {
    return sightings < MIN_SIGHTINGS
        ? UNPROMISED_MICROS
        : Math.max(UNPROMISED_MICROS, GAPS * longestGap);
  }

  /** A lower bound of the limits of all nodes, in microseconds. */
  long least() {
    return Math.min(idleTimeoutMicros, UNPROMISED_MICROS);
  }

  /** Whether the time since a stamp is known. */
  public boolean isTime(long hlc) {
    return HlcTimestamp.micros(hlc) >= FIRST_READING_MICROS;
  }
}
