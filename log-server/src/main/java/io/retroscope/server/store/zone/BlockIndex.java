// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.zone.BlockZone.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
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
public final class BlockIndex {
  /** The number of shapes up to which each has a number. */
  private static final int MAX_SHAPES = 1 << 16;

  /** The smallest number of events of a slice: the state at its start must be found. */
  private static final long MIN_SLICE_EVENTS = 100_000;

  private static final int NO_SHAPE = -1;

  private final int minCapacity;
  private Columns columns;
  private int count;
  private int sealedCount;
  private final Map<Shape, Integer> shapeNumbers = new HashMap<>();
  private Shape[] shapes = new Shape[4];

  /** An index with an initial capacity, which grows. */
  public BlockIndex(int minCapacity) {
    this.minCapacity = minCapacity;
    this.columns = new Columns(minCapacity);
  }

  /** The zones, and what a scan of many of them looks at. Entries below a count never change. */
  private static final class Columns {
    private final BlockZone[] zones;
    private final long[] highest;
    private final long[] ids;
    private final long[] firsts;
    private final long[] lasts;
    private final int[] rows;
    private final int[] shapes;

    Columns(int capacity) {
      zones = new BlockZone[capacity];
      highest = new long[capacity];
      ids = new long[capacity];
      firsts = new long[capacity];
      lasts = new long[capacity];
      rows = new int[capacity];
      shapes = new int[capacity];
    }

    /** The first entries of other columns, and room for more. */
    Columns(Columns from, int count, int capacity) {
      this(capacity);
      copy(from, 0, count, 0);
    }

    /** Copies the entries {@code first} to {@code end - 1}. */
    void copy(Columns from, int first, int end, int to) {
      System.arraycopy(from.zones, first, zones, to, end - first);
      System.arraycopy(from.highest, first, highest, to, end - first);
      System.arraycopy(from.ids, first, ids, to, end - first);
      System.arraycopy(from.firsts, first, firsts, to, end - first);
      System.arraycopy(from.lasts, first, lasts, to, end - first);
      System.arraycopy(from.rows, first, rows, to, end - first);
      System.arraycopy(from.shapes, first, shapes, to, end - first);
    }
  }

  public synchronized void add(BlockZone zone) {
    if (count == columns.zones.length) {
      // Snapshots keep the old arrays, whose entries below their count never change.
      columns = new Columns(columns, count, count * 2);
    }
    columns.zones[count] = zone;
    long before = count == 0 ? zone.lastHlc() : columns.highest[count - 1];
    columns.highest[count] = Math.max(before, zone.lastHlc());
    columns.ids[count] = zone.id();
    columns.firsts[count] = zone.firstHlc();
    columns.lasts[count] = zone.lastHlc();
    Shape shape = zone.shape();
    columns.shapes[count] = shape == null ? NO_SHAPE : numberOf(shape);
    columns.rows[count] = shape == null ? 0 : (int) Math.min(Integer.MAX_VALUE, zone.eventCount());
    count++;
    sealedCount += zone.isSealed() ? 1 : 0;
  }

  private int numberOf(Shape shape) {
    Integer known = shapeNumbers.get(shape);
    if (known != null || shapeNumbers.size() == MAX_SHAPES) {
      return known == null ? NO_SHAPE : known;
    }
    int number = shapeNumbers.size();
    if (number == shapes.length) {
      shapes = Arrays.copyOf(shapes, 2 * number);
    }
    shapes[number] = shape;
    shapeNumbers.put(shape, number);
    return number;
  }

  /**
   * Removes the blocks with ids up to {@code id}. Existing snapshots keep them.
   *
   * @return the number of blocks that remain
   */
  public synchronized int removeThrough(long id) {
    return replace(Arrays.copyOf(columns.ids, indexOf(id + 1)), List.of());
  }

  /**
   * Replaces blocks by others with ids that are not in use then. Existing snapshots keep the old
   * ones.
   *
   * @param ids ascending
   * @return the number of blocks afterwards
   */
  public synchronized int replace(long[] ids, List<BlockZone> others) {
    List<BlockZone> added = new ArrayList<>(others);
    added.sort(Comparator.comparingLong(BlockZone::id));
    int[] gone = Arrays.stream(ids).filter(this::holds).mapToInt(this::indexOf).toArray();
    int[] places = added.stream().mapToInt(zone -> indexOf(zone.id())).toArray();
    if (gone.length == 0 && (places.length == 0 || places[0] == count)) {
      added.forEach(this::add);
    } else {
      rebuild(gone, places, added);
    }
    return count;
  }

  /*
   * A store with a long history has millions of blocks, and each batch that is sealed replaces some
   * of them, here and there: what remains is copied as arrays, because snapshots keep the old ones.
   */

  /**
   * Makes new columns.
   *
   * @param gone the indexes of the entries that are left out, ascending
   * @param places for each that is added the index before which it belongs, ascending
   */
  private void rebuild(int[] gone, int[] places, List<BlockZone> added) {
    Columns old = columns;
    int oldCount = count;
    columns = new Columns(Math.max(minCapacity, count - gone.length + places.length));
    count = 0;
    int from = 0;
    int nextGone = 0;
    int nextAdded = 0;
    while (nextGone < gone.length || nextAdded < places.length) {
      boolean isAdded =
          nextGone == gone.length
              || (nextAdded < places.length && places[nextAdded] <= gone[nextGone]);
      int place = isAdded ? places[nextAdded] : gone[nextGone];
      append(old, from, place);
      from = isAdded ? place : place + 1;
      if (isAdded) {
        add(added.get(nextAdded++));
      } else {
        nextGone++;
        sealedCount -= old.zones[place].isSealed() ? 1 : 0;
      }
    }
    append(old, from, oldCount);
  }

  private void append(Columns from, int first, int end) {
    columns.copy(from, first, end, count);
    long highest = count == 0 ? Long.MIN_VALUE : columns.highest[count - 1];
    for (int added = first; added < end; added++) {
      highest = Math.max(highest, columns.lasts[count]);
      columns.highest[count++] = highest;
    }
  }

  private boolean holds(long id) {
    int index = indexOf(id);
    return index < count && columns.ids[index] == id;
  }

  /** The index of the first block with this id or a higher one. */
  private int indexOf(long id) {
    int found = Arrays.binarySearch(columns.ids, 0, count, id);
    return found < 0 ? -found - 1 : found;
  }

  public synchronized Snapshot snapshot() {
    return new Snapshot(
        columns, count, sealedCount, Arrays.asList(shapes).subList(0, shapeNumbers.size()));
  }

  /** The zones at one moment. Immutable. */
  public static final class Snapshot {
    private final BlockZone[] zones;
    private final Columns columns;
    private final int count;
    private final int sealedCount;
    private final List<Shape> shapes;

    private Snapshot(Columns columns, int count, int sealedCount, List<Shape> shapes) {
      this.zones = columns.zones;
      this.columns = columns;
      this.count = count;
      this.sealedCount = sealedCount;
      this.shapes = shapes;
    }

    /** The shapes of zones, by their numbers, and perhaps of removed ones. */
    public List<Shape> shapes() {
      return shapes;
    }

    /** Whether any block has events of a log. */
    public boolean holdsLog(String log) {
      for (Shape shape : shapes) {
        if (shape.log().equals(log)) {
          return true;
        }
      }
      for (int i = 0; i < count; i++) {
        if (columns.shapes[i] == NO_SHAPE && zones[i].holdsLog(log)) {
          return true;
        }
      }
      return false;
    }

    /** The number of a zone's shape. */
    public int shape(int index) {
      return columns.shapes[index];
    }

    /** The number of events of a zone with a shape. */
    public int rowCount(int index) {
      return columns.rows[index];
    }

    public long id(int index) {
      return columns.ids[index];
    }

    public long firstHlc(int index) {
      return columns.firsts[index];
    }

    public long lastHlc(int index) {
      return columns.lasts[index];
    }

    /**
     * Finds the zones that overlap a range and hold a log, or starts or stops.
     *
     * @param others receives those without a shape
     * @return the indexes of those with a shape, ascending
     */
    public int[] overlapping(HlcRange range, String log, Consumer<BlockZone> others) {
      boolean[] holds = new boolean[shapes.size()];
      for (int i = 0; i < holds.length; i++) {
        holds[i] = shapes.get(i).log().equals(log);
      }
      Set<String> logs = Set.of(log);
      int start = firstReaching(range.from());
      int[] found = new int[count - start];
      int size = 0;
      for (int i = start; i < count; i++) {
        if (columns.firsts[i] <= range.to() && columns.lasts[i] >= range.from()) {
          int shape = columns.shapes[i];
          if (shape == NO_SHAPE) {
            if (zones[i].holdsAnyOf(logs)) {
              others.accept(zones[i]);
            }
          } else if (holds[shape]) {
            found[size++] = i;
          }
        }
      }
      return Arrays.copyOf(found, size);
    }

    public int size() {
      return count;
    }

    public int sealedCount() {
      return sealedCount;
    }

    public BlockZone zone(int index) {
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
    public List<BlockZone> overlapping(HlcRange range, Predicate<BlockZone> test) {
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
    public long[] sliceBorders(Set<String> logs, HlcRange range, int most) {
      return SliceBorders.of(List.of(sealed(logs, range)), range, most, MIN_SLICE_EVENTS);
    }

    /** The sealed blocks of the logs in a range, in order of arrival. */
    public List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range) {
      return overlapping(range, zone -> zone.isSealed() && zone.holdsAnyOf(logs)).stream()
          .map(zone -> new SliceBorders.Start(zone.firstHlc(), zone.eventCount()))
          .toList();
    }

    /** The zones that begin before the stamp, in descending order of their last stamps. */
    public List<BlockZone> before(long hlc) {
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
    public long[] sealingBorders(Collection<BlockZone> batch, long end, String log) {
      long first = batch.stream().mapToLong(BlockZone::firstHlc).min().orElse(Long.MAX_VALUE);
      long last =
          Math.min(end, batch.stream().mapToLong(BlockZone::lastHlc).max().orElse(Long.MIN_VALUE));
      Set<Long> own = batch.stream().map(BlockZone::id).collect(Collectors.toSet());
      Set<String> logs = Set.of(log);
      long earlierEnd = Long.MIN_VALUE;
      long laterStart = Long.MAX_VALUE;
      for (int i = firstReaching(first); i < size(); i++) {
        BlockZone other = zone(i);
        if (columns.firsts[i] <= last && !own.contains(other.id()) && other.holdsAnyOf(logs)) {
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
        if (columns.highest[middle] < hlc) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
