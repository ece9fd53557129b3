// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/**
 * The rows of a block that have the same stamp as the row before. Immutable, with final fields
 * only, so that threads may share it without any order between them.
 */
final class StampTies {
  /*
   * Each walk looks for ties in a block several times. With a bit for each row, the stamps are read
   * once, and not by every walk.
   */
  private static final StampTies NONE = new StampTies(new long[0]);

  /** Bit {@code row % 64} of word {@code row / 64} is set if the row has a tie. */
  private final long[] words;

  private StampTies(long[] words) {
    this.words = words;
  }

  /** The ties among the first {@code size} of ascending stamps. */
  static StampTies of(long[] stamps, int size) {
    int first = 1;
    while (first < size && stamps[first] != stamps[first - 1]) {
      first++;
    }
    if (first >= size) {
      return NONE;
    }
    long[] words = new long[(size + Long.SIZE - 1) / Long.SIZE];
    for (int word = first / Long.SIZE; word < words.length; word++) {
      int end = Math.min(size, (word + 1) * Long.SIZE);
      long bits = 0;
      for (int row = Math.max(first, word * Long.SIZE); row < end; row++) {
        bits |= (stamps[row] == stamps[row - 1] ? 1L : 0L) << row;
      }
      words[word] = bits;
    }
    return new StampTies(words);
  }

  /** The first tie among the rows {@code from} to {@code to - 1}; {@code none} without one. */
  int next(int from, int to, int none) {
    int word = from / Long.SIZE;
    long rest = word < words.length ? words[word] & -1L << from : 0;
    while (rest == 0 && ++word < words.length) {
      rest = words[word];
    }
    int row = word * Long.SIZE + Long.numberOfTrailingZeros(rest);
    return rest != 0 && row < to ? row : none;
  }
}
