// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.Arrays;

/**
 * The rows of one run as columns, in the order of their stamps when they are taken. Used by one
 * thread.
 */
final class RunRows {
  private final int run;
  private final StampOrder stampOrder;

  /** Whether the stamps do not descend. */
  private boolean isSorted = true;

  /* The columns, of which the caller fills further rows. */
  private int size;
  private long[] stamps = new long[64];
  private long[] numbers = new long[64];
  private int[] origins = new int[64];

  /* The selected rows. */
  private int from;
  private int to;

  /** No rows of a run. */
  RunRows(int run, StampOrder stampOrder) {
    this.run = run;
    this.stampOrder = stampOrder;
  }

  int run() {
    return run;
  }

  int size() {
    return size;
  }

  long[] stamps() {
    return stamps;
  }

  long[] numbers() {
    return numbers;
  }

  int[] origins() {
    return origins;
  }

  void clear() {
    size = 0;
    isSorted = true;
  }

  void ensureRoom(int count) {
    int needed = size + count;
    if (needed > stamps.length) {
      int capacity = Math.max(needed, 2 * stamps.length);
      stamps = Arrays.copyOf(stamps, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      origins = Arrays.copyOf(origins, capacity);
    }
  }

  /** Adds rows of ascending stamps whose stamps and numbers are filled already. */
  void add(int count, int firstOrigin) {
    isSorted &= size == 0 || count == 0 || stamps[size - 1] <= stamps[size];
    fill(origins, size, size + count, firstOrigin);
    size += count;
  }

  private static void fill(int[] origins, int from, int to, int first) {
    for (int i = from; i < to; i++) {
      origins[i] = first + i - from;
    }
  }

  /** Selects the rows in a range of packed stamps; returns their number. */
  int select(long first, long last) {
    if (!isSorted) {
      sort();
    }
    from = size > 0 && stamps[0] < first ? firstAt(first) : 0;
    to = size > 0 && stamps[size - 1] > last ? firstAt(last + 1) : size;
    return to - from;
  }

  private void sort() {
    int[] order = stampOrder.of(stamps, size);
    long[] sortedStamps = new long[stamps.length];
    long[] sortedNumbers = new long[stamps.length];
    int[] sortedOrigins = new int[stamps.length];
    for (int i = 0; i < size; i++) {
      sortedStamps[i] = stamps[order[i]];
      sortedNumbers[i] = numbers[order[i]];
      sortedOrigins[i] = origins[order[i]];
    }
    stamps = sortedStamps;
    numbers = sortedNumbers;
    origins = sortedOrigins;
    isSorted = true;
  }

  private int firstAt(long stamp) {
    int found = Arrays.binarySearch(stamps, 0, size, stamp);
    int at = found < 0 ? -found - 1 : found;
    while (at > 0 && stamps[at - 1] == stamp) {
      at--;
    }
    return at;
  }

  /** The first selected row. */
  int from() {
    return from;
  }

  /** The row after the last selected one. */
  int to() {
    return to;
  }

  /** Keeps only the rows after the selected ones. */
  void keepRest() {
    int rest = size - to;
    System.arraycopy(stamps, to, stamps, 0, rest);
    System.arraycopy(numbers, to, numbers, 0, rest);
    System.arraycopy(origins, to, origins, 0, rest);
    size = rest;
  }
}
