// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The blocks as a retention rule counts them: a large block counts as many small ones, so that the
 * number of bytes of each is about the same. Used by one thread.
 */
final class RetentionUnits implements Retention.Blocks {
  /** The largest number of units besides one for each block. */
  private static final long MAX_UNITS = 1 << 20;

  private final BlockIndex.Snapshot index;
  private final long fileBytes;

  /** The number of units up to and including each block. */
  private final int[] ends;

  RetentionUnits(BlockIndex.Snapshot index, long fileBytes) {
    this.index = index;
    this.fileBytes = fileBytes;
    long[] events = new long[index.size()];
    long sum = 0;
    for (int i = 0; i < events.length; i++) {
      events[i] = index.zone(i).eventCount();
      sum += events[i];
    }
    long eventsPerUnit = Math.max(1, sum / MAX_UNITS);
    ends = new int[events.length];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += (int) Math.max(1, events[i] / eventsPerUnit);
      ends[i] = end;
    }
  }

  @Override
  public int count() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  @Override
  public long lastHlc(int unit) {
    return index.zone(blockOf(unit)).lastHlc();
  }

  @Override
  public long fileBytes() {
    return fileBytes;
  }

  /** The zones of the blocks that a rule removes, in the order of their ids. */
  List<BlockZone> select(Retention rule) {
    int count = blocksOf(rule.removableCount(this));
    return IntStream.range(0, count).mapToObj(index::zone).toList();
  }

  /** The number of blocks with the first units; the last block counts only with all of its own. */
  private int blocksOf(int units) {
    if (units == 0 || units == count()) {
      return units == 0 ? 0 : ends.length;
    }
    return Math.min(blockOf(units - 1) + 1, ends.length - 1);
  }

  /** The index of the block that contains a unit. */
  private int blockOf(int unit) {
    int low = 0;
    int high = ends.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] <= unit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
