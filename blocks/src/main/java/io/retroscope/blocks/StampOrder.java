package io.retroscope.blocks;

import java.util.Arrays;

/**
 * The order of a window's rows by stamp: a radix sort, whose memory is used again. Used by one
 * thread.
 */
final class StampOrder {
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private final int[] counts = new int[DIGITS];
  private long[] keys = new long[0];
  private int[] order = new int[0];
  private long[] nextKeys = new long[0];
  private int[] nextOrder = new int[0];

  /**
   * Sorts stamps; rows with equal stamps keep their order.
   *
   * @return the indexes of the stamps in ascending order, valid until the next call
   */
  int[] of(long[] stamps, int size) {
    if (order.length < size) {
      keys = new long[stamps.length];
      order = new int[stamps.length];
      nextKeys = new long[stamps.length];
      nextOrder = new int[stamps.length];
    }
    long lowest = size == 0 ? 0 : stamps[0];
    long highest = lowest;
    for (int i = 1; i < size; i++) {
      lowest = Math.min(lowest, stamps[i]);
      highest = Math.max(highest, stamps[i]);
    }
    for (int i = 0; i < size; i++) {
      keys[i] = stamps[i] - lowest; // unsigned
      order[i] = i;
    }
    int bits = Long.SIZE - Long.numberOfLeadingZeros(highest - lowest);
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
      pass(shift, size);
    }
    return order;
  }

  private void pass(int shift, int size) {
    Arrays.fill(counts, 0);
    for (int i = 0; i < size; i++) {
      counts[digit(keys[i], shift)]++;
    }
    if (counts[digit(keys[0], shift)] == size) {
      return; // All are equal there, as logical counters often are.
    }
    int start = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int count = counts[digit];
      counts[digit] = start;
      start += count;
    }
    for (int i = 0; i < size; i++) {
      int to = counts[digit(keys[i], shift)]++;
      nextKeys[to] = keys[i];
      nextOrder[to] = order[i];
    }
    long[] sortedKeys = nextKeys;
    nextKeys = keys;
    keys = sortedKeys;
    int[] sortedOrder = nextOrder;
    nextOrder = order;
    order = sortedOrder;
  }

  private static int digit(long key, int shift) {
    return ((int) (key >>> shift)) & (DIGITS - 1);
  }
}
