package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;

/**
 * A closed range of stamps.
 *
 * @param from packed, the first stamp inside
 * @param to packed, the last stamp inside
 */
public record HlcRange(long from, long to) {
  /** Every stamp there is. */
  public static final HlcRange ALL = new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MAX_PACKED);

  /** Whether the stamp lies inside. */
  public boolean contains(long hlc) {
    return from <= hlc && hlc <= to;
  }

  /** Whether the two have a stamp in common. */
  public boolean overlaps(HlcRange other) {
    return from <= other.to && other.from <= to;
  }
}
