// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;

/**
 * A closed range of stamps.
 *
 * @param from packed, the first stamp inside
 * @param to packed, the last stamp inside
 */
public record HlcRange(long from, long to) {
  /** The range of all stamps. */
  public static final HlcRange ALL = new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MAX_PACKED);

  /** Returns whether the stamp is in the range. */
  public boolean contains(long hlc) {
    return from <= hlc && hlc <= to;
  }

  /** Returns whether the two ranges have a stamp in common. */
  public boolean overlaps(HlcRange other) {
    return from <= other.to && other.from <= to;
  }
}
