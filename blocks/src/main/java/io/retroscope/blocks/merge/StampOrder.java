// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.Arrays;

/**
 * The order of rows by stamp, found by merging or by a radix sort, whose memory is used again. Used
 * by one thread.
 */
public final class StampOrder {
  /*
   * A key and the index of its row are one long as long as both fit, which they do unless a window
   * spans days. Most stamps have no logical part, so that the lowest bits of all keys are zero; keys
   * are without them. No two keys are equal, and none is negative.
   *
   * Rows come from blocks whose stamps ascend. If these are few, neighbours are merged until one is
   * left. A merge takes the lower of two keys and the higher of two others in turns, so that the
   * processor works on two chains at once, and without branches, which it could not predict.
   */
  private static final int MAX_DIGIT_BITS = 11;

  /** The number of ascending parts up to which merging is faster. */
  private static final int MAX_PARTS = 8;

  /** The average distance of a stamp from its place up to which insertion is faster. */
  private static final int MAX_MOVES = 8;

  /** Where ascending parts begin. */
  private final int[] starts = new int[MAX_PARTS + 1];

  private int[] counts = new int[0];
  private long[] keys = new long[0];
  private long[] nextKeys = new long[0];
  private int[] order = new int[0];

  /**
   * Sorts stamps; rows with equal stamps keep their order.
   *
   * @return the indexes of the stamps in ascending order, valid until the next call
   */
  public int[] of(long[] stamps, int size) {
    if (order.length < size) {
      keys = new long[stamps.length];
      nextKeys = new long[stamps.length];
      order = new int[stamps.length];
      counts = new int[1 << MAX_DIGIT_BITS]; // Most windows are in order, and need none.
    }
    int parts = findParts(stamps, size);
    if (parts == 1) {
      for (int i = 0; i < size; i++) {
        order[i] = i;
      }
    } else if (!sortKeys(stamps, size, parts)) {
      sortIndexes(stamps, size);
    }
    return order;
  }

  /** Finds the order by keys; returns false if a key and an index do not fit into one long. */
  private boolean sortKeys(long[] stamps, int size, int parts) {
    long lowest = parts <= MAX_PARTS ? lowestOfParts(stamps, parts) : lowest(stamps, size);
    long used = 0;
    for (int i = 0; i < size; i++) {
      used |= stamps[i] - lowest; // unsigned
    }
    int zeros = used == 0 ? 0 : Long.numberOfTrailingZeros(used);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(used) - zeros;
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(size);
    if (bits + indexBits >= Long.SIZE) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      keys[i] = (stamps[i] - lowest) >>> zeros << indexBits | i;
    }
    if (parts <= MAX_PARTS) {
      mergeParts(parts, size);
    } else {
      sortByDigits(indexBits, bits, size);
    }
    int mask = (1 << indexBits) - 1;
    for (int i = 0; i < size; i++) {
      order[i] = (int) keys[i] & mask;
    }
    return true;
  }

  /** Finds the ascending parts; returns their number, a larger one than the most if it is. */
  private int findParts(long[] stamps, int size) {
    int parts = 1;
    for (int i = 1; i < size && parts <= MAX_PARTS; i++) {
      if (stamps[i] < stamps[i - 1]) {
        starts[parts++] = i;
      }
    }
    return parts;
  }

  private long lowestOfParts(long[] stamps, int parts) {
    long lowest = stamps[0];
    for (int part = 1; part < parts; part++) {
      lowest = Math.min(lowest, stamps[starts[part]]);
    }
    return lowest;
  }

  private void mergeParts(int parts, int size) {
    for (int left = parts; left > 1; left = (left + 1) / 2) {
      starts[left] = size;
      for (int part = 0; part < left; part += 2) {
        int middle = starts[Math.min(left, part + 1)];
        merge(keys, starts[part], middle, starts[Math.min(left, part + 2)], nextKeys);
        starts[part / 2] = starts[part];
      }
      swap();
    }
  }

  private void swap() {
    long[] sorted = nextKeys;
    nextKeys = keys;
    keys = sorted;
  }

  /** Merges two neighbouring parts into the same places of another array. */
  private static void merge(long[] from, int start, int middle, int end, long[] to) {
    int low = start;
    int lowEnd = middle;
    int high = middle;
    int highEnd = end;
    int at = start;
    int atEnd = end;
    int steps = Math.min(middle - start, end - middle) / 2; // Neither part ends before.
    while (steps > 0) {
      for (int i = 0; i < steps; i++) {
        long difference = from[low] - from[high];
        long isLower = difference >> (Long.SIZE - 1); // -1 if it is
        to[at++] = from[high] + (difference & isLower);
        low -= (int) isLower;
        high += 1 + (int) isLower;
        difference = from[lowEnd - 1] - from[highEnd - 1];
        isLower = difference >> (Long.SIZE - 1);
        to[--atEnd] = from[lowEnd - 1] - (difference & isLower);
        highEnd += (int) isLower;
        lowEnd -= 1 + (int) isLower;
      }
      steps = Math.min(lowEnd - low, highEnd - high) / 2;
    }
    while (low < lowEnd && high < highEnd) {
      to[at++] = from[low] < from[high] ? from[low++] : from[high++];
    }
    System.arraycopy(from, low, to, at, lowEnd - low);
    System.arraycopy(from, high, to, at + lowEnd - low, highEnd - high);
  }

  private void sortByDigits(int indexBits, int bits, int size) {
    int passes = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    // Equal digits, because the places that a pass writes to then stay in the processor's cache.
    int digitBits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    for (int pass = 0; pass < passes; pass++) {
      pass(keys, nextKeys, counts, indexBits + pass * digitBits, 1 << digitBits, size);
      swap();
    }
  }

  /** Sorts stamps that are mostly in their order; those with equal stamps keep their order. */
  static int[] ofNearlySorted(long[] stamps, int size) {
    int[] order = new int[size];
    long left = (long) MAX_MOVES * size;
    for (int i = 0; i < size && left >= 0; i++) {
      int at = i;
      for (; at > 0 && stamps[order[at - 1]] > stamps[i] && left >= 0; at--) {
        order[at] = order[at - 1];
        left--;
      }
      order[at] = i;
    }
    return left >= 0 ? order : new StampOrder().of(stamps, size);
  }

  /** Sorts the first {@code size} of numbers that are mostly in their order. */
  static void sortNearlySorted(long[] numbers, int size) {
    long left = (long) MAX_MOVES * size;
    for (int i = 1; i < size && left >= 0; i++) {
      long moved = numbers[i];
      int at = i;
      for (; at > 0 && numbers[at - 1] > moved; at--) {
        numbers[at] = numbers[at - 1];
      }
      numbers[at] = moved;
      left -= i - at;
    }
    if (left < 0) {
      Arrays.sort(numbers, 0, size);
    }
  }

  private static long lowest(long[] stamps, int size) {
    long lowest = size == 0 ? 0 : stamps[0];
    for (int i = 1; i < size; i++) {
      lowest = Math.min(lowest, stamps[i]);
    }
    return lowest;
  }

  private static void pass(long[] from, long[] to, int[] counts, int shift, int digits, int size) {
    int mask = digits - 1;
    Arrays.fill(counts, 0, digits, 0);
    for (int i = 0; i < size; i++) {
      counts[(int) (from[i] >>> shift) & mask]++;
    }
    int start = 0;
    for (int digit = 0; digit < digits; digit++) {
      int count = counts[digit];
      counts[digit] = start;
      start += count;
    }
    for (int i = 0; i < size; i++) {
      to[counts[(int) (from[i] >>> shift) & mask]++] = from[i];
    }
  }

  private void sortIndexes(long[] stamps, int size) {
    Integer[] sorted = new Integer[size];
    Arrays.setAll(sorted, i -> i);
    Arrays.sort(sorted, (a, b) -> Long.compare(stamps[a], stamps[b]));
    for (int i = 0; i < size; i++) {
      order[i] = sorted[i];
    }
  }
}
