// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.StampOrder;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LongColumns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of blocks in the order in which {@link ArrivalWindow} has them, if each of them sets one
 * variable of a log to a LONG, as most of history does: they are gathered and sorted in bulk. Used
 * by one thread.
 */
final class LongMerge {
  private static final int UNKNOWN = -1;

  private final LongColumns columns;

  /** The stamps of the rows, ascending, and the indexes of the rows in the columns. */
  private final long[] stamps;

  private final int[] order;

  private final List<Run> runs = new ArrayList<>();
  private final List<Integer> nodeIds = new ArrayList<>();
  private final Map<Run, Integer> runIndexes = new HashMap<>();
  private final Comparator<Run> ties;

  private LongMerge(List<EventBlock> blocks, Range range, StoreNames names, Comparator<Run> ties) {
    this.ties = ties.thenComparing(Run::node).thenComparing(Run::incarnation);
    columns = new LongColumns(range.rowsOf(blocks));
    for (EventBlock block : blocks) {
      int from = range.firstRow(block);
      int to = range.endRow(block);
      if (from < to) {
        columns.add(block, from, to, runsOf(block, names), variablesOf(block, from, to, names));
      }
    }
    order = new StampOrder().of(columns.hlc(), columns.size());
    stamps = new long[columns.size()];
    for (int row = 0; row < stamps.length; row++) {
      stamps[row] = columns.hlc()[order[row]];
    }
    orderTies();
  }

  /** The stamps to merge: packed, inclusive. */
  private record Range(long from, long to) {
    int firstRow(EventBlock block) {
      return block.firstAt(from);
    }

    int endRow(EventBlock block) {
      return block.isEmpty() || block.lastHlc() <= to ? block.size() : block.firstAt(to + 1);
    }

    int rowsOf(List<EventBlock> blocks) {
      int rows = 0;
      for (EventBlock block : blocks) {
        rows = Math.addExact(rows, Math.max(0, endRow(block) - firstRow(block)));
      }
      return rows;
    }
  }

  /**
   * Merges blocks; null if a row does anything but set a LONG of the log.
   *
   * @param blocks in the order of their arrival
   * @param from packed, the lowest stamp
   * @param to packed, the highest stamp
   * @param ties the order of runs for rows with equal stamps
   */
  static @Nullable LongMerge of(
      List<EventBlock> blocks,
      String log,
      long from,
      long to,
      StoreNames names,
      Comparator<Run> ties) {
    for (EventBlock block : blocks) {
      boolean isOfLog = block.logs().size() == 1 && block.logs().get(0).equals(log);
      if (!isOfLog || !block.writesLongsOnly()) {
        return null;
      }
    }
    return new LongMerge(blocks, new Range(from, to), names, ties);
  }

  private int[] runsOf(EventBlock block, StoreNames names) {
    int[] own = new int[block.nodes().size()];
    for (int i = 0; i < own.length; i++) {
      Run run = new Run(block.nodes().get(i), block.incarnation(i));
      Integer known = runIndexes.putIfAbsent(run, runs.size());
      own[i] = known == null ? runs.size() : known;
      if (known == null) {
        runs.add(run);
        nodeIds.add(names.nodes().idOf(run.node()));
      }
    }
    return own;
  }

  /** The ids of a block's variables; those that no row writes get none. */
  private static int[] variablesOf(EventBlock block, int from, int to, StoreNames names) {
    int[] own = new int[block.variables().size()];
    if (own.length == 1) {
      own[0] = names.variables().idOf(block.variables().get(0));
      return own;
    }
    Arrays.fill(own, UNKNOWN);
    for (int row = from; row < to; row++) {
      int name = block.nameIndex(row);
      if (own[name] == UNKNOWN) {
        own[name] = names.variables().idOf(block.variables().get(name));
      }
    }
    return own;
  }

  private void orderTies() {
    int[] ranks = new int[0];
    for (int from = 0; from < stamps.length; ) {
      int to = from + 1;
      while (to < stamps.length && stamps[to] == stamps[from]) {
        to++;
      }
      if (to - from > 1) {
        ranks = ranks.length == 0 ? ranks() : ranks;
        orderTies(from, to, ranks);
      }
      from = to;
    }
  }

  /** The places of the runs in the order of ties. */
  private int[] ranks() {
    List<Run> sorted = new ArrayList<>(runs);
    sorted.sort(ties);
    int[] ranks = new int[sorted.size()];
    for (int rank = 0; rank < ranks.length; rank++) {
      ranks[runIndexes.getOrDefault(sorted.get(rank), 0)] = rank;
    }
    return ranks;
  }

  /** Orders rows with one stamp by run, and those of one run as they were gathered. */
  private void orderTies(int from, int to, int[] ranks) {
    long[] keys = new long[to - from];
    for (int i = 0; i < keys.length; i++) {
      int row = order[from + i];
      keys[i] = (long) ranks[columns.nodes()[row]] << Integer.SIZE | row;
    }
    Arrays.sort(keys);
    for (int i = 0; i < keys.length; i++) {
      order[from + i] = (int) keys[i];
    }
  }

  /** The number of rows. */
  int size() {
    return stamps.length;
  }

  /** The packed stamp of a row. */
  long hlc(int row) {
    return stamps[row];
  }

  /**
   * The row after the last one that goes into a block together with a row: at most as many as it
   * takes, and no part of those with one stamp, unless these alone are too many.
   */
  int endOfBlock(int from, int maxRows) {
    int end = Math.min(stamps.length, from + maxRows);
    if (end == stamps.length) {
      return end;
    }
    while (end > from && stamps[end - 1] == stamps[end]) {
      end--;
    }
    if (end == from) {
      while (end < stamps.length && stamps[end] == stamps[from]) {
        end++;
      }
    }
    return end;
  }

  /** The first row from {@code from} on at or above a stamp, {@code to} if there is none. */
  int firstAt(long hlc, int from, int to) {
    int found = Arrays.binarySearch(stamps, from, to, hlc);
    if (found < 0) {
      return -found - 1;
    }
    while (found > from && stamps[found - 1] == hlc) {
      found--;
    }
    return found;
  }

  /** Puts rows into a buffer, which is empty before. */
  void fill(RowBuffer to, int from, int end) {
    int[] localRuns = new int[runs.size()];
    Arrays.fill(localRuns, UNKNOWN);
    to.beginLongs(end - from);
    int[] ownRuns = columns.nodes();
    for (int row = from; row < end; row++) {
      int run = ownRuns[order[row]];
      if (localRuns[run] == UNKNOWN) {
        localRuns[run] = to.addRun(runs.get(run), nodeIds.get(run));
      }
      to.run[row - from] = localRuns[run];
    }
    System.arraycopy(stamps, from, to.hlc, 0, end - from);
    gather(columns.physicalMicros(), from, end, to.physical);
    gather(columns.sequences(), from, end, to.sequence);
    gather(columns.numbers(), from, end, to.bits);
    gather(columns.names(), from, end, to.name);
  }

  private void gather(long[] column, int from, int end, long[] to) {
    int[] rows = order;
    for (int row = from; row < end; row++) {
      to[row - from] = column[rows[row]];
    }
  }

  private void gather(int[] column, int from, int end, int[] to) {
    int[] rows = order;
    for (int row = from; row < end; row++) {
      to[row - from] = column[rows[row]];
    }
  }
}
