// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.blocks.timeline.TimelineBins.Lane;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.event.EventBlock;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a block by their pairs of a node and a variable, for a block of one log of which each
 * row sets one variable to a LONG. Used by one thread.
 */
final class PairRows {
  /** The number of pairs per row, above which there are too many. */
  private static final int MAX_PAIRS_PER_ROW = 4;

  private final int names;
  private final int[] starts;

  /* The first row of each pair, and the stamps and numbers of its rows, in ascending order. */
  private final int[] firstRows;
  private final long[] stamps;
  private final long[] numbers;

  private PairRows(EventBlock block, int pairs) {
    names = block.variables().size();
    starts = new int[pairs + 1];
    firstRows = new int[pairs];
    stamps = new long[block.size()];
    numbers = new long[block.size()];
    for (int row = block.size() - 1; row >= 0; row--) {
      int pair = block.nodeIndex(row) * names + block.nameIndex(row);
      starts[pair + 1]++;
      firstRows[pair] = row;
    }
    for (int pair = 0; pair < pairs; pair++) {
      starts[pair + 1] += starts[pair];
    }
    int[] next = starts.clone();
    for (int row = 0; row < block.size(); row++) {
      int at = next[block.nodeIndex(row) * names + block.nameIndex(row)]++;
      stamps[at] = block.hlc(row);
      numbers[at] = block.bits(row);
    }
  }

  /** The rows of a block; null if they are others, or few among many names. */
  static @Nullable PairRows of(EventBlock block) {
    long pairs = (long) block.nodes().size() * block.variables().size();
    boolean isSortable =
        block.writesLongsOnly()
            && block.logs().size() == 1
            && pairs <= (long) MAX_PAIRS_PER_ROW * block.size();
    return isSortable ? new PairRows(block, (int) pairs) : null;
  }

  /** The pairs that have rows, in the order of their first ones. */
  int[] pairs() {
    return IntStream.range(0, starts.length - 1)
        .filter(pair -> starts[pair] < starts[pair + 1])
        .boxed()
        .sorted(Comparator.comparingInt(pair -> firstRows[pair]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  int node(int pair) {
    return pair / names;
  }

  int name(int pair) {
    return pair % names;
  }

  /**
   * Counts the rows of a pair, all of which are in the bins.
   *
   * @param extremes of the writes; null if they are not wanted
   */
  void count(int pair, int level, long firstBin, Lane lane, @Nullable Extremes extremes) {
    for (int from = starts[pair]; from < starts[pair + 1]; ) {
      long bin = TimelineBins.binOf(stamps[from], level);
      int to = from + 1;
      while (to < starts[pair + 1] && TimelineBins.binOf(stamps[to], level) == bin) {
        to++;
      }
      int index = (int) (bin - firstBin);
      lane.events[index] += to - from;
      if (extremes != null) {
        extremes.add(index, stamps, numbers, from, to);
      }
      from = to;
    }
  }
}
