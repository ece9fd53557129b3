// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import java.util.Iterator;
import java.util.Optional;

/**
 * The ranges of stamps in which a node was seen, heartbeats included. Used by its view's thread.
 */
public interface Presence {
  /** The largest gap between two sightings of one range, in microseconds, unless promised. */
  long MAX_GAP_MICROS = 100_000;

  /**
   * Whether a range includes a later sighting, because the node was not silent in between.
   *
   * @param to packed, the last sighting of the range
   * @param assuredMicros as {@link Stay#assuredMicros}
   * @param hlc packed, the later sighting
   */
  static boolean reaches(long to, long assuredMicros, long hlc) {
    return hlc <= to || micros(to, hlc) <= Math.max(MAX_GAP_MICROS, assuredMicros);
  }

  /**
   * The microseconds from a stamp to another one at or above it, rounded up: the stamp after this
   * time, which has no logical counter, is not below the other one.
   */
  static long micros(long from, long to) {
    return to == from ? 0 : HlcTimestamp.micros(to - 1) + 1 - HlcTimestamp.micros(from);
  }

  /** The node's name. */
  String node();

  /** The last range that begins at or before a stamp; empty if the node was first seen later. */
  Optional<Stay> latest(long hlc);

  /** The ranges that begin at or after a stamp, ascending. */
  Iterator<Stay> from(long hlc);

  /**
   * A range within which the node was never silent for longer than {@link #MAX_GAP_MICROS} or than
   * it had promised.
   *
   * @param from packed, its first sighting
   * @param to packed, its last sighting
   * @param assuredMicros how long after it the node's promised heartbeats let it be silent; 0 if it
   *     has promised none
   */
  record Stay(long from, long to, long assuredMicros) {}
}
