// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.Arrays;

/** The order of rows with equal stamps, among rows that are in the order of their stamps. */
final class TieOrder {
  /** The number of equal stamps up to which insertion is faster than a general sort. */
  private static final int MAX_INSERTIONS = 24;

  private TieOrder() {}

  /** A comparison of rows. */
  interface Comparison {
    int compare(int a, int b);
  }

  /**
   * Sorts rows with equal stamps.
   *
   * @param stamps of all rows, by their indexes
   * @param order the indexes of rows in the order of their stamps
   * @param from the first place in the order
   * @param to the place after the last one
   */
  static void sort(long[] stamps, int[] order, int from, int to, Comparison comparison) {
    for (int first = nextTie(stamps, order, from, to); first < to; ) {
      int end = first + 2;
      while (end < to && stamps[order[end]] == stamps[order[first]]) {
        end++;
      }
      if (end - first > MAX_INSERTIONS) {
        sortMany(order, first, end, comparison);
      } else {
        insert(order, first, end, comparison);
      }
      first = nextTie(stamps, order, end, to);
    }
  }

  /** The first place of two equal stamps; {@code to} if there are none. */
  private static int nextTie(long[] stamps, int[] order, int from, int to) {
    long before = from < to ? stamps[order[from]] : 0;
    for (int i = from + 1; i < to; i++) {
      long stamp = stamps[order[i]];
      if (stamp == before) {
        return i - 1;
      }
      before = stamp;
    }
    return to;
  }

  private static void insert(int[] order, int from, int to, Comparison comparison) {
    for (int i = from + 1; i < to; i++) {
      int moved = order[i];
      int at = i;
      for (; at > from && comparison.compare(order[at - 1], moved) > 0; at--) {
        order[at] = order[at - 1];
      }
      order[at] = moved;
    }
  }

  private static void sortMany(int[] order, int from, int to, Comparison comparison) {
    Integer[] tied = new Integer[to - from];
    for (int i = from; i < to; i++) {
      tied[i - from] = order[i];
    }
    Arrays.sort(tied, comparison::compare);
    for (int i = from; i < to; i++) {
      order[i] = tied[i - from];
    }
  }
}
