// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.zone;

import io.retroscope.event.EventBlock;
import org.jspecify.annotations.Nullable;

/**
 * How often each node of a block wrote each variable, and when, for a block of one log of which
 * each row sets one variable to a LONG: counted in one pass. Immutable.
 */
public final class LongCounts {
  /** The number of pairs of a node and a variable per row, above which there are too many. */
  private static final int MAX_PAIRS_PER_ROW = 4;

  private final int names;
  private final int[] firstRows;
  private final int[] lastRows;
  private final int[] writes;
  private final int[] lastWrites;

  private LongCounts(EventBlock block) {
    int nodes = block.nodes().size();
    names = block.variables().size();
    firstRows = new int[nodes];
    lastRows = new int[nodes];
    writes = new int[nodes * names];
    lastWrites = new int[nodes * names];
    if (writes.length == 1) {
      writes[0] = block.size();
      lastRows[0] = block.size() - 1;
      lastWrites[0] = lastRows[0];
      return;
    }
    for (int row = block.size() - 1; row >= 0; row--) {
      firstRows[block.nodeIndex(row)] = row;
    }
    for (int row = 0; row < block.size(); row++) {
      int node = block.nodeIndex(row);
      int pair = node * names + block.nameIndex(row);
      lastRows[node] = row;
      writes[pair]++;
      lastWrites[pair] = row;
    }
  }

  /** The counts of a block; null if its rows are others, or few among many names. */
  public static @Nullable LongCounts of(EventBlock block) {
    long pairs = (long) block.nodes().size() * block.variables().size();
    boolean isCountable =
        block.writesLongsOnly()
            && block.logs().size() == 1
            && pairs <= (long) MAX_PAIRS_PER_ROW * block.size();
    return isCountable ? new LongCounts(block) : null;
  }

  /** The number of a node's rows. */
  public int events(int node) {
    int sum = 0;
    for (int name = 0; name < names; name++) {
      sum += writes(node, name);
    }
    return sum;
  }

  /** The first row of a node that has rows. */
  public int firstRow(int node) {
    return firstRows[node];
  }

  /** The last row of a node that has rows. */
  public int lastRow(int node) {
    return lastRows[node];
  }

  /** The number of a node's writes of a variable. */
  public int writes(int node, int name) {
    return writes[node * names + name];
  }

  /** The row of a node's last write of a variable that it has written. */
  public int lastWrite(int node, int name) {
    return lastWrites[node * names + name];
  }
}
