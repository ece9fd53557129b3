package io.retroscope.event;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a block that have the same stamp as the row before, if they are few. Immutable, with
 * final fields only, so that threads may share it without any order between them.
 */
final class StampTies {
  /*
   * Each walk looks for ties in a block several times. Most blocks have a few of them: then the
   * stamps are read once, and not by every walk. If there are many, a search ends soon anyway, and
   * the list would take as much memory as a column.
   */
  private static final int ROWS_PER_TIE = 32;
  private static final StampTies MANY = new StampTies(null);

  private final int @Nullable [] rows;

  private StampTies(int @Nullable [] rows) {
    this.rows = rows;
  }

  /** The ties among the first {@code size} of ascending stamps. */
  static StampTies of(long[] stamps, int size) {
    int[] found = new int[Math.min(size, 4)];
    int count = 0;
    for (int row = next(stamps, 1, size); row < size; row = next(stamps, row + 1, size)) {
      if (count >= found.length) {
        if (count > size / ROWS_PER_TIE) {
          return MANY;
        }
        found = Arrays.copyOf(found, 2 * count + 1);
      }
      found[count++] = row;
    }
    return new StampTies(Arrays.copyOf(found, count));
  }

  private static int next(long[] stamps, int from, int to) {
    for (int row = from; row < to; row++) {
      if (stamps[row] == stamps[row - 1]) {
        return row;
      }
    }
    return to;
  }

  /** The first tie among the rows {@code from} to {@code to - 1}; {@code none} without one. */
  int next(long[] stamps, int from, int to, int none) {
    if (rows == null) {
      int row = next(stamps, from, Math.max(from, to));
      return row < to ? row : none;
    }
    int found = Arrays.binarySearch(rows, from);
    int index = found < 0 ? -found - 1 : found;
    return index < rows.length && rows[index] < to ? rows[index] : none;
  }
}
