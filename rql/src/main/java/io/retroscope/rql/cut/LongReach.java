// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.blocks.LongZone;
import java.util.Arrays;

/**
 * Bounds of the LONGs of one variable that hold at every cut of a stretch, in which LONGs replace
 * LONGs. Used by one thread.
 */
final class LongReach {
  /*
   * The loops are small static methods over arrays, because the compiler then keeps everything in
   * registers. They are the hot loops of queries.
   */
  private boolean isStretch;
  private long low;
  private long high;
  private long minHigh;
  private long maxLow;
  private long spreadLow;
  private long spreadHigh;

  /* Nodes with bounds of their own. */
  private int watchedCount;
  private int[] watched = {};
  private long[] watchedLow = {};
  private long[] watchedHigh = {};

  /** Whether a stretch is examined; otherwise the bounds are not valid. */
  boolean isStretch() {
    return isStretch;
  }

  /** A lower bound of the smallest value, and of every other. */
  long low() {
    return low;
  }

  /** An upper bound of the largest value, and of every other. */
  long high() {
    return high;
  }

  /** An upper bound of the smallest value. */
  long minHigh() {
    return minHigh;
  }

  /** A lower bound of the largest value. */
  long maxLow() {
    return maxLow;
  }

  /** A lower bound of the difference between the largest and the smallest value. */
  long spreadLow() {
    return Math.max(spreadLow, maxLow - minHigh);
  }

  /** An upper bound of this difference; negative if it may not fit into a LONG. */
  long spreadHigh() {
    return Math.min(spreadHigh, high - low);
  }

  /** A lower bound of the value at a node. */
  long low(int node) {
    int index = indexOf(node);
    return index < 0 ? low : watchedLow[index];
  }

  /** An upper bound of the value at a node. */
  long high(int node) {
    int index = indexOf(node);
    return index < 0 ? high : watchedHigh[index];
  }

  /** Keeps bounds for a node from the next stretch on. */
  void watch(int node) {
    if (indexOf(node) < 0) {
      watched = Arrays.copyOf(watched, watchedCount + 1);
      watchedLow = Arrays.copyOf(watchedLow, watchedCount + 1);
      watchedHigh = Arrays.copyOf(watchedHigh, watchedCount + 1);
      watched[watchedCount] = node;
      watchedLow[watchedCount] = Long.MIN_VALUE;
      watchedHigh[watchedCount] = Long.MAX_VALUE;
      watchedCount++;
    }
  }

  private int indexOf(int node) {
    for (int i = 0; i < watchedCount; i++) {
      if (watched[i] == node) {
        return i;
      }
    }
    return -1;
  }

  /** Begins a stretch in a state whose extremes and values are given. */
  void begin(long min, long max, long[] present) {
    isStretch = true;
    low = min;
    high = max;
    spreadLow = 0;
    spreadHigh = Long.MAX_VALUE;
    for (int i = 0; i < watchedCount; i++) {
      watchedLow[i] = present[watched[i]];
      watchedHigh[i] = present[watched[i]];
    }
  }

  /** Widens all bounds by the early cuts of a block, at which some nodes have not written yet. */
  void widen(int[] nodes, LongZone.Early early) {
    low = Math.min(low, early.min());
    high = Math.max(high, early.max());
    for (int i = 0; i < watchedCount; i++) {
      if (isAmong(watched[i], nodes)) {
        watchedLow[i] = Math.min(watchedLow[i], early.min());
        watchedHigh[i] = Math.max(watchedHigh[i], early.max());
      }
    }
    minHigh = high;
    maxLow = low;
  }

  /** Replaces the bounds by those of the late cuts of a block; other nodes keep their values. */
  void replace(int[] nodes, LongZone.Late late, byte[] kinds, long[] present) {
    findOthers(nodes, kinds, present);
    boolean areAll = low > high;
    minHigh = Math.min(late.highestMin(), low);
    maxLow = Math.max(late.lowestMax(), high);
    low = Math.min(late.min(), low);
    high = Math.max(late.max(), high);
    spreadLow = late.minSpread();
    spreadHigh = areAll ? late.maxSpread() : Long.MAX_VALUE;
    for (int i = 0; i < watchedCount; i++) {
      if (isAmong(watched[i], nodes)) {
        watchedLow[i] = late.min();
        watchedHigh[i] = late.max();
      }
    }
  }

  /**
   * Finds the extremes of the LONGs of all other nodes; a minimum above the maximum if none has.
   */
  private void findOthers(int[] nodes, byte[] kinds, long[] present) {
    boolean[] isOther = new boolean[kinds.length];
    Arrays.fill(isOther, true);
    for (int node : nodes) {
      isOther[node] = false;
    }
    low = Long.MAX_VALUE;
    high = Long.MIN_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      if (isOther[node] && kinds[node] == VariableColumn.PACKED) {
        low = Math.min(low, present[node]);
        high = Math.max(high, present[node]);
      }
    }
  }

  private static boolean isAmong(int node, int[] nodes) {
    for (int other : nodes) {
      if (other == node) {
        return true;
      }
    }
    return false;
  }

  /** Ends the stretch. */
  void end() {
    isStretch = false;
  }

  /**
   * Widens all bounds by the writes {@code from} to {@code to - 1}, which are all of this column.
   */
  void widen(int[] nodes, long[] numbers, int from, int to) {
    widenAll(numbers, from, to);
    for (int i = 0; i < watchedCount; i++) {
      widenAt(i, nodes, numbers, from, to);
    }
    minHigh = high;
    maxLow = low;
  }

  private void widenAt(int index, int[] nodes, long[] numbers, int from, int to) {
    long before = watchedLow[index];
    watchedLow[index] = lowestAt(watched[index], before, nodes, numbers, from, to);
    watchedHigh[index] = highestAt(watched[index], before, nodes, numbers, from, to);
  }

  private void widenAll(long[] numbers, int from, int to) {
    long lowest = low;
    long highest = high;
    for (int i = from; i < to; i++) {
      lowest = Math.min(lowest, numbers[i]);
      highest = Math.max(highest, numbers[i]);
    }
    low = lowest;
    high = highest;
  }

  /** Whether all writes are at nodes that have a number. */
  static boolean arePacked(byte[] kinds, int[] nodes, int from, int to) {
    int other = 0;
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      other |= node < kinds.length ? kinds[node] ^ VariableColumn.PACKED : 1;
    }
    return other == 0;
  }

  private static long lowestAt(int node, long low, int[] nodes, long[] numbers, int from, int to) {
    long lowest = low;
    for (int i = from; i < to; i++) {
      lowest = Math.min(lowest, choose(nodes[i] ^ node, numbers[i], low));
    }
    return lowest;
  }

  private static long highestAt(
      int node, long high, int[] nodes, long[] numbers, int from, int to) {
    long highest = high;
    for (int i = from; i < to; i++) {
      highest = Math.max(highest, choose(nodes[i] ^ node, numbers[i], high));
    }
    return highest;
  }

  /**
   * The first number if the difference is 0, without a branch, which the order of nodes decides.
   */
  private static long choose(int difference, long ifZero, long otherwise) {
    long mask = (Integer.toUnsignedLong(difference) - 1) >> (Long.SIZE - 1);
    return otherwise ^ ((ifZero ^ otherwise) & mask);
  }
}
