// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;

/**
 * The place of a tile in time: its {@link #BINS} bins are 2^level microseconds long, and tile 0 of
 * each level begins in 1970.
 */
public record TileAddress(int level, long tile) {
  /** The number of bins of a tile. */
  public static final int BINS = TimelineBins.MAX_SIZE;

  private static final int BIN_BITS = Integer.numberOfTrailingZeros(BINS);

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException if there is no such tile; the message is a sentence for users
   */
  public TileAddress {
    if (level < 0 || level > TimelineBins.MAX_LEVEL) {
      throw new IllegalArgumentException(
          "the level of a tile is 0 to %d, for bins of 2^level microseconds: %d"
              .formatted(TimelineBins.MAX_LEVEL, level));
    }
    long last = HlcTimestamp.MAX_MICROS >>> (level + BIN_BITS);
    if (tile < 0 || tile > last) {
      throw new IllegalArgumentException(
          "the tiles of level %d are 0 to %d: %d; that of a time in microseconds is time >> %d"
              .formatted(level, last, tile, level + BIN_BITS));
    }
  }

  /**
   * Parses the two parts of a path.
   *
   * @throws IllegalArgumentException if there is no such tile; the message is a sentence for users
   */
  public static TileAddress parse(String level, String tile) {
    return new TileAddress((int) number("level", level), number("tile", tile));
  }

  private static long number(String name, String text) {
    if (!text.matches("[0-9]{1,16}")) {
      throw new IllegalArgumentException("the " + name + " must be a whole number from 0");
    }
    long number = Long.parseLong(text);
    return name.equals("level") ? Math.min(number, Integer.MAX_VALUE) : number;
  }

  long firstBin() {
    return tile << BIN_BITS;
  }

  /** The stamps of the tile. */
  public HlcRange range() {
    long from = tile << (level + BIN_BITS);
    long to = from + (1L << (level + BIN_BITS)) - 1;
    return new HlcRange(HlcTimestamp.pack(from), HlcTimestamp.pack(to, HlcTimestamp.MAX_LOGICAL));
  }
}
