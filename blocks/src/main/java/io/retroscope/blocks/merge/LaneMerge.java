// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The next rows of a few lanes in the order of their stamps, which are merged as columns. Used by
 * one thread.
 */
final class LaneMerge {
  private final List<Lane> selected = new ArrayList<>();
  private int count;

  /* The stamps of the selected lanes' rows. */
  private long[][] from = {};
  private int[] sizes = {};

  /* The merged stamps, and of each the index of its lane. */
  private long[] stamps = {};
  private int[] chosen = {};

  /**
   * Selects the next rows of lanes up to a stamp below which no other row is.
   *
   * @param limit the largest number of rows of a lane
   * @return the number of rows; 0 if a row must be taken by itself
   */
  int select(List<Lane> lanes, int limit) {
    long bound = Long.MAX_VALUE;
    for (Lane lane : lanes) {
      bound = lane.isEnded() ? bound : Math.min(bound, lane.columnsBelow(limit));
    }
    selected.clear();
    count = 0;
    for (Lane lane : lanes) {
      int rows = lane.isEnded() ? 0 : lane.endBelow(bound) - lane.row();
      if (rows > 0) {
        select(lane, rows);
      }
    }
    return count;
  }

  private void select(Lane lane, int rows) {
    int way = selected.size();
    selected.add(lane);
    if (way == from.length) {
      from = Arrays.copyOf(from, way + 1);
      from[way] = new long[0];
      sizes = Arrays.copyOf(sizes, way + 1);
    }
    if (from[way].length < rows) {
      from[way] = new long[rows];
    }
    lane.copyStamps(rows, from[way], 0);
    sizes[way] = rows;
    count += rows;
  }

  /**
   * Takes the selected rows, and moves their lanes after them.
   *
   * @param to the stamp of each row, from {@code at} on
   * @param slotOf the slot of its block
   * @param rows its index in the block
   */
  void take(long[] to, int[] slotOf, int[] rows, int at) {
    if (chosen.length < count) {
      stamps = new long[count];
      chosen = new int[count];
    }
    int ways = selected.size();
    RunMerge.choose(from, new int[ways], Arrays.copyOf(sizes, ways), stamps, chosen, count);
    System.arraycopy(stamps, 0, to, at, count);
    int[] slots = selected.stream().mapToInt(Lane::slot).toArray();
    int[] next = selected.stream().mapToInt(Lane::row).toArray();
    for (int i = 0; i < count; i++) {
      int way = chosen[i];
      slotOf[at + i] = slots[way];
      rows[at + i] = next[way]++;
    }
    for (int way = 0; way < ways; way++) {
      selected.get(way).moveTo(next[way]);
    }
  }
}
