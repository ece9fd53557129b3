// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.Arrays;
import java.util.List;

/**
 * The selected rows of runs as columns in the order of their stamps; rows with equal stamps are in
 * the order of the runs. Used by one thread.
 */
final class RunMerge {
  /*
   * Rows keep their run only. From which row of it they are follows when it is needed, which is
   * rarely.
   */

  /** The number of runs up to which comparing their first rows is faster than sorting all. */
  private static final int MAX_COMPARED = 6;

  final long[] stamps;
  final long[] numbers;

  /** The place of each row's run in the list. */
  final int[] runs;

  final RowOrigins origins;

  /**
   * Merges rows.
   *
   * @param all each has a selected row; their order is that of rows with equal stamps
   * @param count the number of selected rows
   */
  RunMerge(List<RunRows> all, int count, StampOrder stampOrder) {
    stamps = new long[count];
    numbers = new long[count];
    runs = new int[count];
    boolean isBounded = true;
    for (RunRows run : all) {
      isBounded &= run.stamps()[run.from()] > Long.MIN_VALUE;
      isBounded &= run.stamps()[run.to() - 1] < Long.MAX_VALUE;
    }
    if (isBounded && all.size() <= MAX_COMPARED) {
      compare(all);
    } else {
      sort(all, stampOrder);
    }
    origins = RowOrigins.of(all, runs);
  }

  /*
   * The lower half is merged upwards and the upper half downwards, in one loop: a row depends on the
   * one that was merged before, and the processor works on two such chains at once.
   */
  private void compare(List<RunRows> all) {
    int ways = all.size();
    long[][] fromStamps = new long[ways][];
    long[][] fromNumbers = new long[ways][];
    int[] starts = new int[ways];
    int[] ends = new int[ways];
    for (int way = 0; way < ways; way++) {
      RunRows run = all.get(way);
      fromStamps[way] = run.stamps();
      fromNumbers[way] = run.numbers();
      starts[way] = run.from();
      ends[way] = run.to();
    }
    choose(fromStamps, starts, ends, stamps, runs, stamps.length);
    copy(fromNumbers, starts.clone(), ends.clone(), runs, numbers);
  }

  /**
   * Merges stamps between the lowest and the highest possible ones.
   *
   * @param chosen of each merged stamp, the index of the array that it is from
   * @param count the number of all stamps
   */
  static void choose(long[][] from, int[] starts, int[] ends, long[] to, int[] chosen, int count) {
    int ways = starts.length;
    int[] next = starts.clone();
    int[] last = new int[ways];
    long[] heads = new long[ways];
    long[] tails = new long[ways];
    for (int way = 0; way < ways; way++) {
      last[way] = ends[way] - 1;
      heads[way] = from[way][next[way]];
      tails[way] = from[way][last[way]];
    }
    int up = 0;
    for (int down = count - 1; up <= down; up++, down--) {
      int lowest = 0;
      int highest = 0;
      long low = heads[0];
      long high = tails[0];
      for (int way = 1; way < ways; way++) {
        long head = heads[way];
        long tail = tails[way];
        lowest = head < low ? way : lowest;
        highest = tail >= high ? way : highest;
        low = Math.min(head, low);
        high = Math.max(tail, high);
      }
      to[down] = high;
      chosen[down] = highest;
      to[up] = low;
      chosen[up] = lowest;
      int above = ++next[lowest];
      int below = --last[highest];
      heads[lowest] = above < ends[lowest] ? from[lowest][above] : Long.MAX_VALUE;
      tails[highest] = below >= starts[highest] ? from[highest][below] : Long.MIN_VALUE;
    }
  }

  private static void copy(long[][] from, int[] next, int[] ends, int[] chosen, long[] to) {
    int up = 0;
    for (int down = to.length - 1; up <= down; up++, down--) {
      int highest = chosen[down];
      to[down] = from[highest][--ends[highest]];
      int lowest = chosen[up];
      to[up] = from[lowest][next[lowest]++];
    }
  }

  private void sort(List<RunRows> all, StampOrder stampOrder) {
    long[] allStamps = new long[stamps.length];
    long[] allNumbers = new long[stamps.length];
    int[] allRuns = new int[stamps.length];
    int at = 0;
    for (int i = 0; i < all.size(); i++) {
      RunRows run = all.get(i);
      int count = run.to() - run.from();
      System.arraycopy(run.stamps(), run.from(), allStamps, at, count);
      System.arraycopy(run.numbers(), run.from(), allNumbers, at, count);
      Arrays.fill(allRuns, at, at + count, i);
      at += count;
    }
    int[] order = stampOrder.of(allStamps, stamps.length);
    gather(order, allStamps, stamps);
    gather(order, allNumbers, numbers);
    gather(order, allRuns, runs);
  }

  private static void gather(int[] order, int[] from, int[] to) {
    for (int i = 0; i < to.length; i++) {
      to[i] = from[order[i]];
    }
  }

  private static void gather(int[] order, long[] from, long[] to) {
    for (int i = 0; i < to.length; i++) {
      to[i] = from[order[i]];
    }
  }

  /**
   * Brings rows with equal stamps into an order, in which those of an earlier run are first.
   *
   * @param byOrigin compares them by their origins
   */
  void orderTies(TieOrder.Comparison byOrigin) {
    if (!hasTiesOfARun()) {
      return;
    }
    int[] all = origins.all();
    for (int i = 1; i < stamps.length; i++) {
      if (stamps[i] == stamps[i - 1]) {
        insert(i, all, byOrigin);
      }
    }
  }

  private boolean hasTiesOfARun() {
    for (int i = 1; i < stamps.length; i++) {
      if (stamps[i] == stamps[i - 1] && runs[i] == runs[i - 1]) {
        return true;
      }
    }
    return false;
  }

  /** Moves a row before those of its stamp that it precedes. */
  private void insert(int row, int[] origins, TieOrder.Comparison byOrigin) {
    int origin = origins[row];
    long number = numbers[row];
    int run = runs[row];
    int at = row;
    while (at > 0
        && stamps[at - 1] == stamps[row]
        && byOrigin.compare(origins[at - 1], origin) > 0) {
      origins[at] = origins[at - 1];
      numbers[at] = numbers[at - 1];
      runs[at] = runs[at - 1];
      at--;
    }
    origins[at] = origin;
    numbers[at] = number;
    runs[at] = run;
  }
}
