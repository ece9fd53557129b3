// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Iterator;
import java.util.Optional;

/**
 * The ranges of stamps in which a node was seen, heartbeats included. Used by its view's thread.
 */
public interface Presence {
  /** The largest gap between two sightings of one range, in microseconds, unless promised. */
  long MAX_GAP_MICROS = 100_000;

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
