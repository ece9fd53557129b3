// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Arrays;

/**
 * The extremes of the numbers of many nodes after each of some writes, if all numbers are within a
 * narrow range. Used by one thread.
 */
final class NumberCounts {
  /*
   * It is counted how many nodes have each number. After a write, the extremes are found without
   * the other nodes: an extreme that no node has any more is replaced by the next number that one
   * has, which a bit for each number shows. So a write never takes longer with more nodes.
   */
  private static final int RANGE = 4_096;

  private final int[] counts = new int[RANGE];
  private final long[] held = new long[RANGE / Long.SIZE];

  /**
   * Finds the extremes after each write, unless the numbers are too far from one another.
   *
   * @param present the numbers of the nodes of kind PACKED, of which there must be one; those after
   *     the writes if this returns true
   * @param low the smallest number before the writes
   * @param high the largest number before the writes
   * @return whether they were found
   */
  boolean follow(
      byte[] kinds,
      long[] present,
      long low,
      long high,
      int[] nodes,
      long[] written,
      int from,
      int to,
      long[] mins,
      long[] maxs) {
    long least = low;
    long most = high;
    for (int i = from; i < to; i++) {
      least = Math.min(least, written[i]);
      most = Math.max(most, written[i]);
    }
    if (most - least < 0 || most - least >= RANGE) {
      return false;
    }
    Arrays.fill(counts, 0, (int) (most - least) + 1, 0);
    Arrays.fill(held, 0);
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == VariableColumn.PACKED) {
        int number = (int) (present[node] - least);
        counts[number]++;
        held[number / Long.SIZE] |= 1L << number;
      }
    }
    follow(counts, held, present, least, low, high, nodes, written, from, to, mins, maxs);
    return true;
  }

  private static void follow(
      int[] counts,
      long[] held,
      long[] present,
      long least,
      long low,
      long high,
      int[] nodes,
      long[] written,
      int from,
      int to,
      long[] mins,
      long[] maxs) {
    int min = (int) (low - least);
    int max = (int) (high - least);
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      int gone = (int) (present[node] - least);
      int number = (int) (written[i] - least);
      present[node] = written[i];
      if (counts[number]++ == 0) {
        held[number / Long.SIZE] |= 1L << number;
      }
      if (--counts[gone] == 0) {
        held[gone / Long.SIZE] &= ~(1L << gone);
      }
      min = number < min ? number : counts[min] == 0 ? above(held, min) : min;
      max = number > max ? number : counts[max] == 0 ? below(held, max) : max;
      mins[i - from] = least + min;
      maxs[i - from] = least + max;
    }
  }

  /** The smallest number above another one that a node has. */
  private static int above(long[] held, int number) {
    int word = number / Long.SIZE;
    long bits = held[word] & (-1L << number);
    while (bits == 0) {
      bits = held[++word];
    }
    return word * Long.SIZE + Long.numberOfTrailingZeros(bits);
  }

  /** The largest number below another one that a node has. */
  private static int below(long[] held, int number) {
    int word = number / Long.SIZE;
    long bits = held[word] & (-1L >>> (Long.SIZE - 1 - number % Long.SIZE));
    while (bits == 0) {
      bits = held[--word];
    }
    return word * Long.SIZE + Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
  }
}
