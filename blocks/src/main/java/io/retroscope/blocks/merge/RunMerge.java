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

  /** Arrays that merges use, one after the other. */
  static final class Memory {
    private final StampOrder stampOrder = new StampOrder();
    private long[] stamps = {};
    private long[] numbers = {};
    private int[] runs = {};

    StampOrder stampOrder() {
      return stampOrder;
    }

    private void ensureRoom(int count) {
      if (stamps.length < count) {
        int capacity = Math.max(count, 2 * stamps.length);
        stamps = new long[capacity];
        numbers = new long[capacity];
        runs = new int[capacity];
      }
    }

    /** Puts the selected rows of runs one after the other. */
    private void fill(List<RunRows> all) {
      int at = 0;
      for (int i = 0; i < all.size(); i++) {
        RunRows run = all.get(i);
        int count = run.to() - run.from();
        System.arraycopy(run.stamps(), run.from(), stamps, at, count);
        System.arraycopy(run.numbers(), run.from(), numbers, at, count);
        Arrays.fill(runs, at, at + count, i);
        at += count;
      }
    }
  }

  /**
   * Merges rows.
   *
   * @param all each has a selected row; their order is that of rows with equal stamps
   * @param count the number of selected rows
   */
  RunMerge(List<RunRows> all, int count, Memory memory) {
    memory.ensureRoom(count);
    memory.fill(all);
    int[] order = memory.stampOrder.of(memory.stamps, count);
    stamps = gathered(order, count, memory.stamps);
    numbers = gathered(order, count, memory.numbers);
    runs = gathered(order, count, memory.runs);
    origins = RowOrigins.of(all, runs);
  }

  private static int[] gathered(int[] order, int count, int[] from) {
    int[] to = new int[count];
    for (int i = 0; i < count; i++) {
      to[i] = from[order[i]];
    }
    return to;
  }

  private static long[] gathered(int[] order, int count, long[] from) {
    long[] to = new long[count];
    for (int i = 0; i < count; i++) {
      to[i] = from[order[i]];
    }
    return to;
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
