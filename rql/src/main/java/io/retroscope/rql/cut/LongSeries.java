// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Arrays;

/**
 * The LONGs of one variable at each place of a {@link Stretch}, in which LONGs replace LONGs: those
 * of a node, the extremes of all nodes, and how many of them are in a range. Each series is found
 * when it is first requested, and stays valid until the next stretch. Used by one thread.
 */
public final class LongSeries {
  /*
   * The loops are small static methods over arrays and local variables, because the compiler then
   * keeps their state in registers. They are the hot loops of queries whose bounds do not decide.
   */

  private static final int[] NONE = new int[0];
  private static final long[] NO_NUMBERS = new long[0];

  private long number;
  private int size;

  /* The state before the stretch. */
  private int nodeCount;
  private long[] before = NO_NUMBERS;
  private byte[] kinds = new byte[0];

  /* The writes of the variable, and the place of each, counted from firstPlace. */
  private int[] nodes = NONE;
  private long[] written = NO_NUMBERS;
  private int from;
  private int to;
  private int[] places = NONE;
  private int firstPlace;

  /* The series and, for each, the stretch for which it was found. */
  private long[][] ofNode = {};
  private long[] ofNodeFound = NO_NUMBERS;
  private long[] mins = NO_NUMBERS;
  private long[] maxs = NO_NUMBERS;
  private long extremesFound;

  /* Memory of the loops. */
  private long[] present = NO_NUMBERS;

  /** Begins a stretch in which the variable is not written, unless it is known already. */
  void beginUnlessKnown(Stretch stretch, byte[] kindsNow, long[] numbersNow) {
    if (number != stretch.number()) {
      begin(stretch, kindsNow, numbersNow);
      places = NONE;
      to = from;
    }
  }

  /**
   * Begins a stretch with writes.
   *
   * @param placesOf the place of each write, at least {@code end} long
   * @param first the place at which the stretch begins
   */
  void begin(
      Stretch stretch,
      byte[] kindsNow,
      long[] numbersNow,
      int[] nodesOf,
      long[] numbersOf,
      int start,
      int end,
      int[] placesOf,
      int first) {
    begin(stretch, kindsNow, numbersNow);
    nodes = nodesOf;
    written = numbersOf;
    from = start;
    to = end;
    places = placesOf;
    firstPlace = first;
  }

  private void begin(Stretch stretch, byte[] kindsNow, long[] numbersNow) {
    number = stretch.number();
    size = stretch.size();
    kinds = kindsNow;
    nodeCount = numbersNow.length;
    before = ensureSize(before, nodeCount);
    System.arraycopy(numbersNow, 0, before, 0, nodeCount);
  }

  /** The LONGs of a node, which has one; at least as many as there are places. */
  public long[] at(int node) {
    if (node >= ofNode.length) {
      int length = ofNode.length;
      ofNode = Arrays.copyOf(ofNode, nodeCount);
      Arrays.fill(ofNode, length, nodeCount, NO_NUMBERS);
      ofNodeFound = Arrays.copyOf(ofNodeFound, nodeCount);
    }
    long[] series = ensureSize(ofNode[node]);
    if (ofNodeFound[node] != number) {
      ofNode[node] = series;
      ofNodeFound[node] = number;
      follow(node, before[node], nodes, written, from, to, series);
      spread(series, before[node]);
    }
    return series;
  }

  /** The smallest LONG at each place; there must be one. */
  public long[] mins() {
    findExtremes();
    return mins;
  }

  /** The largest LONG at each place; there must be one. */
  public long[] maxs() {
    findExtremes();
    return maxs;
  }

  /** Finds how many LONGs a count holds at each place. */
  public void count(NodeCount count, long[] counts) {
    copyPresent();
    long first = count.of(kinds, before);
    long held = first;
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      held += count.difference(present[node], written[i]);
      present[node] = written[i];
      counts[i - from] = held;
    }
    spread(counts, first);
  }

  private void findExtremes() {
    if (extremesFound == number) {
      return;
    }
    extremesFound = number;
    mins = ensureSize(mins);
    maxs = ensureSize(maxs);
    copyPresent();
    extremes(kinds, present, nodes, written, from, to, mins, maxs);
    spread(mins, min(kinds, before));
    spread(maxs, max(kinds, before));
  }

  private void copyPresent() {
    present = ensureSize(present, nodeCount);
    System.arraycopy(before, 0, present, 0, nodeCount);
  }

  /** Moves numbers from the indexes of the writes to their places, and fills the others. */
  private void spread(long[] series, long first) {
    int count = to - from;
    if (count == size) {
      return;
    }
    int end = size;
    for (int i = count - 1; i >= 0; i--) {
      int place = places[from + i] - firstPlace;
      Arrays.fill(series, place, end, series[i]);
      end = place;
    }
    Arrays.fill(series, 0, end, first);
  }

  private long[] ensureSize(long[] series) {
    return ensureSize(series, size);
  }

  private static long[] ensureSize(long[] series, int needed) {
    return series.length >= needed ? series : new long[Math.max(needed, 2 * series.length)];
  }

  private static void follow(
      int node, long first, int[] nodes, long[] written, int from, int to, long[] series) {
    long now = first;
    for (int i = from; i < to; i++) {
      now = nodes[i] == node ? written[i] : now;
      series[i - from] = now;
    }
  }

  /** Finds the extremes as {@link LongExtremes} does. */
  private static void extremes(
      byte[] kinds,
      long[] present,
      int[] nodes,
      long[] written,
      int from,
      int to,
      long[] mins,
      long[] maxs) {
    long min = min(kinds, present);
    long max = max(kinds, present);
    int minCount = count(kinds, present, min);
    int maxCount = count(kinds, present, max);
    for (int i = from; i < to; i++) {
      long gone = present[nodes[i]];
      long number = written[i];
      present[nodes[i]] = number;
      minCount -= gone == min ? 1 : 0;
      maxCount -= gone == max ? 1 : 0;
      if (number <= min) {
        minCount = number < min ? 1 : minCount + 1;
        min = number;
      }
      if (number >= max) {
        maxCount = number > max ? 1 : maxCount + 1;
        max = number;
      }
      if (minCount == 0) {
        min = min(kinds, present);
        minCount = count(kinds, present, min);
      }
      if (maxCount == 0) {
        max = max(kinds, present);
        maxCount = count(kinds, present, max);
      }
      mins[i - from] = min;
      maxs[i - from] = max;
    }
  }

  private static long min(byte[] kinds, long[] present) {
    long min = Long.MAX_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      min = kinds[node] == VariableColumn.PACKED ? Math.min(min, present[node]) : min;
    }
    return min;
  }

  private static long max(byte[] kinds, long[] present) {
    long max = Long.MIN_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      max = kinds[node] == VariableColumn.PACKED ? Math.max(max, present[node]) : max;
    }
    return max;
  }

  private static int count(byte[] kinds, long[] present, long number) {
    int count = 0;
    for (int node = 0; node < kinds.length; node++) {
      count += kinds[node] == VariableColumn.PACKED && present[node] == number ? 1 : 0;
    }
    return count;
  }
}
