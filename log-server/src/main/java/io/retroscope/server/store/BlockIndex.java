package io.retroscope.server.store;

import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The zone maps of all blocks, in order of arrival. Thread-safe.
 *
 * <p>Blocks arrive roughly in the order of their stamps. With each zone the index keeps the highest
 * stamp of all zones up to it. That value never decreases, so that a binary search over it skips
 * all blocks that end before a range. Thus the cost of a live query does not grow with the length
 * of the history.
 */
final class BlockIndex {
  /** A slice must take much longer than finding the state at its start. */
  private static final long MIN_SLICE_EVENTS = 100_000;

  private final int minCapacity;
  private BlockZone[] zones;
  private long[] highest;
  private int count;
  private int sealedCount;

  /** An index with an initial capacity, which grows. */
  BlockIndex(int minCapacity) {
    this.minCapacity = minCapacity;
    this.zones = new BlockZone[minCapacity];
    this.highest = new long[minCapacity];
  }

  synchronized void add(BlockZone zone) {
    if (count == zones.length) {
      // Snapshots keep the old arrays, whose entries below their count never change.
      zones = Arrays.copyOf(zones, count * 2);
      highest = Arrays.copyOf(highest, count * 2);
    }
    zones[count] = zone;
    highest[count] = count == 0 ? zone.lastHlc() : Math.max(highest[count - 1], zone.lastHlc());
    count++;
    sealedCount += zone.isSealed() ? 1 : 0;
  }

  /**
   * Removes the blocks with ids up to {@code id}. Existing snapshots keep them.
   *
   * @return the number of blocks that remain
   */
  synchronized int removeThrough(long id) {
    List<BlockZone> left = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      if (zones[i].id() > id) {
        left.add(zones[i]);
      }
    }
    refill(left);
    return count;
  }

  /**
   * Replaces blocks by others with ids that are not in use then. Existing snapshots keep the old
   * ones.
   *
   * @param ids ascending
   * @return the number of blocks afterwards
   */
  synchronized int replace(long[] ids, List<BlockZone> others) {
    List<BlockZone> left = new ArrayList<>(count + others.size());
    for (int i = 0; i < count; i++) {
      if (Arrays.binarySearch(ids, zones[i].id()) < 0) {
        left.add(zones[i]);
      }
    }
    if (left.size() == count && others.isEmpty()) {
      return count;
    }
    left.addAll(others);
    left.sort(Comparator.comparingLong(BlockZone::id));
    refill(left);
    return count;
  }

  private void refill(List<BlockZone> left) {
    zones = new BlockZone[Math.max(minCapacity, left.size())];
    highest = new long[zones.length];
    count = 0;
    sealedCount = 0;
    for (BlockZone zone : left) {
      add(zone);
    }
  }

  synchronized Snapshot snapshot() {
    return new Snapshot(zones, highest, count, sealedCount);
  }

  /** The zones at one moment. Immutable. */
  static final class Snapshot {
    private final BlockZone[] zones;
    private final long[] highest;
    private final int count;
    private final int sealedCount;

    private Snapshot(BlockZone[] zones, long[] highest, int count, int sealedCount) {
      this.zones = zones;
      this.highest = highest;
      this.count = count;
      this.sealedCount = sealedCount;
    }

    int size() {
      return count;
    }

    int sealedCount() {
      return sealedCount;
    }

    BlockZone zone(int index) {
      return zones[index];
    }

    /** Whether a node's part of a zone overlaps the range. */
    boolean reaches(String node, HlcRange range) {
      for (int i = firstReaching(range.from()); i < count; i++) {
        if (zones[i].overlaps(range) && zones[i].reaches(node, range)) {
          return true;
        }
      }
      return false;
    }

    /** The zones that overlap the range and pass the test, in order of arrival. */
    List<BlockZone> overlapping(HlcRange range, Predicate<BlockZone> test) {
      List<BlockZone> found = new ArrayList<>();
      for (int i = firstReaching(range.from()); i < count; i++) {
        if (zones[i].overlaps(range) && test.test(zones[i])) {
          found.add(zones[i]);
        }
      }
      return found;
    }

    /**
     * The first stamps of sealed blocks of the logs that split a range into slices of about as many
     * events, ascending.
     *
     * @param most the largest number of slices
     */
    long[] sliceBorders(Set<String> logs, HlcRange range, int most) {
      List<BlockZone> sealed = overlapping(range, zone -> zone.isSealed() && zone.holdsAnyOf(logs));
      sealed.sort(Comparator.comparingLong(BlockZone::firstHlc));
      long events = sealed.stream().mapToLong(BlockZone::eventCount).sum();
      int slices = (int) Math.min(most, events / MIN_SLICE_EVENTS);
      List<Long> borders = new ArrayList<>();
      long before = 0;
      for (BlockZone zone : sealed) {
        boolean isDue = before * slices >= (borders.size() + 1) * events;
        boolean isAbove = borders.isEmpty() || zone.firstHlc() > borders.get(borders.size() - 1);
        if (isDue && isAbove && zone.firstHlc() > range.from()) {
          borders.add(zone.firstHlc());
        }
        before += zone.eventCount();
      }
      return borders.stream().mapToLong(border -> border).toArray();
    }

    /** The zones that begin before the stamp, in descending order of their last stamps. */
    List<BlockZone> before(long hlc) {
      List<BlockZone> found = new ArrayList<>();
      for (int i = count - 1; i >= 0; i--) {
        if (zones[i].firstHlc() < hlc) {
          found.add(zones[i]);
        }
      }
      found.sort(Comparator.comparingLong(BlockZone::lastHlc).reversed());
      return found;
    }

    /*
     * The blocks of two sealed batches overlap where arrivals of one batch reach into the time of
     * the other, as those of different nodes do. Without borders, the last block of each batch and
     * the first of the next one overlap as a whole: their rows are merged, and no zone answers for
     * them. With borders, only two small blocks do.
     */

    /**
     * The stamps at which the sealed blocks of a batch must end, because blocks outside it begin or
     * end there: packed, ascending.
     *
     * @param batch the blocks that are sealed together
     * @param end packed; their rows above it are not sealed
     * @param log the log of the sealed blocks
     */
    long[] sealingBorders(Collection<BlockZone> batch, long end, String log) {
      long first = batch.stream().mapToLong(BlockZone::firstHlc).min().orElse(Long.MAX_VALUE);
      long last =
          Math.min(end, batch.stream().mapToLong(BlockZone::lastHlc).max().orElse(Long.MIN_VALUE));
      Set<Long> own = batch.stream().map(BlockZone::id).collect(Collectors.toSet());
      Set<String> logs = Set.of(log);
      long earlierEnd = Long.MIN_VALUE;
      long laterStart = Long.MAX_VALUE;
      for (int i = firstReaching(first); i < size(); i++) {
        BlockZone other = zone(i);
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

    /** The index of the first zone that may end at or after a stamp. */
    private int firstReaching(long hlc) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (highest[middle] < hlc) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
