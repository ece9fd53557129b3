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
    long[] allStamps = new long[count];
    long[] allNumbers = new long[count];
    int[] allRuns = new int[count];
    int at = 0;
    for (int i = 0; i < all.size(); i++) {
      RunRows run = all.get(i);
      int own = run.to() - run.from();
      System.arraycopy(run.stamps(), run.from(), allStamps, at, own);
      System.arraycopy(run.numbers(), run.from(), allNumbers, at, own);
      Arrays.fill(allRuns, at, at + own, i);
      at += own;
    }
    int[] order = stampOrder.of(allStamps, count);
    gather(order, allStamps, stamps);
    gather(order, allNumbers, numbers);
    gather(order, allRuns, runs);
    origins = RowOrigins.of(all, runs);
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
