// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

/** The smallest and the largest packed value of a column. Used by one thread. */
final class PackedExtremes {
  /*
   * The extremes of a column whose values are all packed answer most queries about staleness. With
   * each one is kept at how many nodes it is. They are searched again, in O(nodes), only after the
   * last of these nodes got another value. If the values rise, as versions do, this happens about
   * once in as many changes as there are nodes.
   */

  /* No packed value is below min or above max. A count of 0 means that none equals it, either. */
  private long min;
  private long max;
  private int minCount;
  private int maxCount;

  /** The smallest value; there must be one. */
  long min(byte[] kinds, long[] numbers) {
    if (minCount == 0) {
      find(kinds, numbers);
    }
    return min;
  }

  /** The largest value; there must be one. */
  long max(byte[] kinds, long[] numbers) {
    if (maxCount == 0) {
      find(kinds, numbers);
    }
    return max;
  }

  /** Removes the value of one node. */
  void remove(long number) {
    minCount -= number == min ? 1 : 0;
    maxCount -= number == max ? 1 : 0;
  }

  /** Adds the value of one node. */
  void add(long number, boolean isOnly) {
    if (isOnly) {
      min = number;
      max = number;
      minCount = 1;
      maxCount = 1;
      return;
    }
    if (number <= min) {
      minCount = number < min ? 1 : minCount + 1;
      min = number;
    }
    if (number >= max) {
      maxCount = number > max ? 1 : maxCount + 1;
      max = number;
    }
  }

  /** Finds the extremes and their counts. */
  void find(byte[] kinds, long[] numbers) {
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == VariableColumn.PACKED) {
        low = Math.min(low, numbers[node]);
        high = Math.max(high, numbers[node]);
      }
    }
    min = low;
    max = high;
    count(kinds, numbers);
  }

  /** Counts in a pass of its own: no step of either pass then waits for the one before. */
  private void count(byte[] kinds, long[] numbers) {
    int lows = 0;
    int highs = 0;
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == VariableColumn.PACKED) {
        lows += numbers[node] == min ? 1 : 0;
        highs += numbers[node] == max ? 1 : 0;
      }
    }
    minCount = lows;
    maxCount = highs;
  }
}
