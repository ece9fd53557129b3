package io.retroscope.event;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Columns that are the same in all blocks whose rows set the same number of variables; they are
 * shared by these blocks, as they take time and memory for each change. Thread-safe.
 */
final class RowsAlike {
  /** More variables have columns of their own in each block. */
  private static final int MAX_WIDTH = 8;

  private static final AtomicReferenceArray<int[]> NAMES =
      new AtomicReferenceArray<>(MAX_WIDTH + 1);
  private static final AtomicReferenceArray<int[]> STARTS =
      new AtomicReferenceArray<>(MAX_WIDTH + 1);

  private RowsAlike() {}

  /** The indexes 0 to {@code width - 1} in turn, for at least so many changes; never written. */
  static int[] names(int width, int count) {
    int[] known = width > MAX_WIDTH ? null : NAMES.get(width);
    if (known != null && known.length >= count) {
      return known;
    }
    int[] names = new int[count];
    for (int i = 0; i < count; i++) {
      names[i] = i % width;
    }
    if (width <= MAX_WIDTH) {
      NAMES.set(width, names);
    }
    return names;
  }

  /** The first change of each of at least so many rows, and the end of the last; never written. */
  static int[] starts(int width, int rows) {
    int[] known = width > MAX_WIDTH ? null : STARTS.get(width);
    if (known != null && known.length > rows) {
      return known;
    }
    int[] starts = new int[rows + 1];
    for (int row = 0; row <= rows; row++) {
      starts[row] = row * width;
    }
    if (width <= MAX_WIDTH) {
      STARTS.set(width, starts);
    }
    return starts;
  }
}
