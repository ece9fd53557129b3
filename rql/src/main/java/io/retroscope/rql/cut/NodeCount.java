// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

/**
 * The number of nodes at which a variable is a LONG within a range, or a LONG outside it. Kept up
 * to date by the variable's column. Used by one thread.
 */
public final class NodeCount {
  private final long low;
  private final long high;
  private final boolean inside;
  private int count;
  private int falling;
  private int rising;

  /**
   * A count that is 0 until the variable is written.
   *
   * @param low the lowest number within the range
   * @param high the highest number within the range
   * @param inside whether numbers within the range are counted; otherwise all others
   */
  public NodeCount(long low, long high, boolean inside) {
    this.low = low;
    this.high = high;
    this.inside = inside;
  }

  /** The present count or, during a stretch, a number that the count is never below. */
  public int least() {
    return Math.max(0, count - falling);
  }

  /** The present count or, during a stretch, a number that the count is never above. */
  public int most() {
    return count + rising;
  }

  /** Counts a value instead of another one; only LONGs count. */
  void replace(boolean wasLong, long gone, boolean isLong, long number) {
    count -= wasLong && holds(gone) ? 1 : 0;
    count += isLong && holds(number) ? 1 : 0;
  }

  /** Returns how many of some LONGs are counted. */
  int of(byte[] kinds, long[] numbers) {
    int held = 0;
    for (int node = 0; node < kinds.length; node++) {
      held += kinds[node] == VariableColumn.PACKED && holds(numbers[node]) ? 1 : 0;
    }
    return held;
  }

  /** Counts again, after any number of LONGs have been replaced by others. */
  void find(byte[] kinds, long[] numbers) {
    count = of(kinds, numbers);
  }

  /** The change of the count if a LONG replaces another one. */
  int difference(long gone, long number) {
    return (holds(number) ? 1 : 0) - (holds(gone) ? 1 : 0);
  }

  /** Whether either all or none of the numbers of a range are counted. */
  boolean isSame(long lowest, long highest) {
    return (low <= lowest && highest <= high) || highest < low || lowest > high;
  }

  /** Adds a write of a stretch: each may change the count by one. */
  void expect(long number) {
    if (holds(number)) {
      rising++;
    } else {
      falling++;
    }
  }

  /** Adds any number of writes of a number of nodes. */
  void expectAny(int nodes) {
    rising += nodes;
    falling += nodes;
  }

  /** Ends a stretch. */
  void endStretch() {
    rising = 0;
    falling = 0;
  }

  private boolean holds(long number) {
    return (low <= number && number <= high) == inside;
  }
}
