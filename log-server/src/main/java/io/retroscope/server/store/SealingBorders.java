package io.retroscope.server.store;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The stamps at which the sealed blocks of a batch end, because other blocks begin or end there.
 */
final class SealingBorders {
  /*
   * The blocks of two batches overlap where arrivals of one batch reach into the time of the other,
   * as those of different nodes do. Without borders, the last block of each batch and the first of
   * the next one overlap as a whole: their rows are merged, and no zone answers for them. With
   * borders, only two small blocks do.
   */
  private SealingBorders() {}

  /**
   * The borders of a batch in one log: packed stamps, ascending.
   *
   * @param batch the blocks that are sealed together
   * @param index all blocks
   */
  static long[] of(Collection<BlockZone> batch, BlockIndex.Snapshot index, String log) {
    long first = batch.stream().mapToLong(BlockZone::firstHlc).min().orElse(Long.MAX_VALUE);
    long last = batch.stream().mapToLong(BlockZone::lastHlc).max().orElse(Long.MIN_VALUE);
    Set<Long> own = batch.stream().map(BlockZone::id).collect(Collectors.toSet());
    Set<String> logs = Set.of(log);
    long earlierEnd = Long.MIN_VALUE;
    long laterStart = Long.MAX_VALUE;
    for (int i = index.firstReaching(first); i < index.size(); i++) {
      BlockZone other = index.zone(i);
      if (other.firstHlc() <= last && !own.contains(other.id()) && other.holdsAnyOf(logs)) {
        // Which end of the batch it is nearer to; the halves of the sums do not overflow.
        if (other.firstHlc() / 2 + other.lastHlc() / 2 < first / 2 + last / 2) {
          earlierEnd = Math.max(earlierEnd, other.lastHlc());
        } else {
          laterStart = Math.min(laterStart, other.firstHlc());
        }
      }
    }
    TreeSet<Long> borders = new TreeSet<>();
    if (earlierEnd >= first && earlierEnd < last) {
      borders.add(earlierEnd + 1);
    }
    if (laterStart > first && laterStart <= last) {
      borders.add(laterStart);
    }
    return borders.stream().mapToLong(border -> border).toArray();
  }
}
