// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.Joined.Numbered;
import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that are decoded together, so that the merge receives the rows of many small blocks as one
 * block of sorted columns. Used by one thread.
 */
public final class JoinedBlocks {
  /*
   * The blocks, in the order of their first stamps, are divided into groups, and a group has a range
   * of stamps of its own: it ends before the first stamp of the next group's blocks. Rows of its
   * blocks above that stay for the next group. So groups never overlap, whatever the blocks do.
   *
   * Groups also end where other blocks begin and end, as sealed ones, so that rows far apart do not
   * make a group in whose middle there is other history.
   *
   * What a group cannot decode, because its rows do anything else, is returned to the merge, which
   * reads it like any other block. So are blocks of which too many rows would stay.
   */
  private static final int TARGET_ROWS = 16_384;
  private static final int MAX_BLOCK_ROWS = 8_192;

  private final int targetRows;
  private final EncodedBlocks blocks;
  private final JoinedRows rows;

  /** The blocks in the order of their first stamps. */
  private final int[] sorted;

  /** Whether each block is not left to the merge; in the same order. */
  private final boolean[] isJoined;

  /** The first stamp of the group that the kept rows are of. */
  private long nextStart = Long.MIN_VALUE;

  /**
   * How blocks are joined.
   *
   * @param blocks may all have unmarked writes of the log only
   * @param wanted tests variables; rows that set others may be left out
   * @param ties the order of runs for events with equal stamps
   */
  public record Rule(
      EncodedBlocks blocks, String log, Predicate<String> wanted, Comparator<Run> ties) {
    JoinedBlocks join(int targetRows) {
      return new JoinedBlocks(this, targetRows);
    }
  }

  private JoinedBlocks(Rule rule, int targetRows) {
    this.targetRows = targetRows;
    blocks = rule.blocks();
    rows = new JoinedRows(rule.log(), rule.wanted(), rule.ties());
    int count = blocks.count();
    long[] firsts = new long[count];
    for (int i = 0; i < count; i++) {
      firsts[i] = blocks.firstHlc(i);
    }
    sorted = StampOrder.ofNearlySorted(firsts, count);
    isJoined = new boolean[count];
  }

  /**
   * The sources of a merge.
   *
   * @param others the blocks that are not to be joined, in the order of their arrival
   * @param rule null if there are no further ones
   */
  static List<Numbered> of(List<? extends BlockSource> others, @Nullable Rule rule) {
    return of(others, rule, TARGET_ROWS);
  }

  /** Like the other {@code of}, with groups of at least {@code targetRows} rows where possible. */
  static List<Numbered> of(
      List<? extends BlockSource> others, @Nullable Rule rule, int targetRows) {
    List<Numbered> planned = new ArrayList<>();
    for (int i = 0; i < others.size(); i++) {
      planned.add(new Numbered(others.get(i), others.get(i).arrival(i)));
    }
    if (rule != null && rule.blocks().count() > 0) {
      planned.addAll(rule.join(targetRows).plan(borders(planned)));
    }
    return planned;
  }

  private static long[] borders(List<Numbered> others) {
    return others.stream()
        .map(Numbered::source)
        .filter(BlockSource::isSealed)
        .flatMapToLong(
            other ->
                LongStream.of(other.firstHlc(), Math.max(other.lastHlc(), other.lastHlc() + 1)))
        .sorted()
        .toArray();
  }

  /** Divides the blocks into groups. */
  private List<Numbered> plan(long[] borders) {
    List<Numbered> planned = new ArrayList<>();
    int[] open = new int[0];
    int border = 0;
    int next = 0;
    long start = Long.MIN_VALUE;
    while (next < sorted.length || open.length > 0) {
      start = open.length == 0 ? first(next) : start;
      while (border < borders.length && borders[border] <= start) {
        border++;
      }
      long limit = border < borders.length ? borders[border] : Long.MAX_VALUE;
      int end = groupEnd(next, limit, rowsOf(open, open.length));
      long bound = end < sorted.length ? Math.min(limit, first(end)) : limit;
      Group group = new Group(start, bound, next, end, open);
      planned.add(new Numbered(group, 0));
      open = group.open();
      start = bound;
      next = end;
    }
    for (int i = 0; i < sorted.length; i++) {
      if (!isJoined[i]) {
        planned.add(numbered(i));
      }
    }
    return planned;
  }

  /** The largest number of rows that stay for the next group. */
  private int maxOpenRows() {
    return targetRows + targetRows / 2;
  }

  private long first(int index) {
    return blocks.firstHlc(sorted[index]);
  }

  private long last(int index) {
    return blocks.lastHlc(sorted[index]);
  }

  private int rowCount(int index) {
    return blocks.rowCount(sorted[index]);
  }

  private Numbered numbered(int index) {
    int place = sorted[index];
    BlockSource source = blocks.source(place);
    return new Numbered(source, source.arrival(place));
  }

  private int groupEnd(int first, long limit, int openRows) {
    int target = Math.max(targetRows, openRows);
    int rowCount = 0;
    int end = first;
    long before = 0;
    for (; end < sorted.length; end++) {
      long hlc = first(end);
      if (hlc >= limit || (rowCount >= target && hlc != before)) {
        break;
      }
      isJoined[end] = rowCount <= maxOpenRows() && rowCount(end) <= MAX_BLOCK_ROWS;
      rowCount += isJoined[end] ? rowCount(end) : 0;
      before = hlc;
    }
    return end;
  }

  private int rowsOf(int[] indexes, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += rowCount(indexes[i]);
    }
    return sum;
  }

  /** The blocks with rows in a range of stamps. */
  private final class Group implements Joined {
    private final long start;
    private final long bound;
    private final int from;
    private final int to;
    private final int[] before;
    private final long last;
    private final int[] open;
    private List<Numbered> left = List.of();
    private @Nullable Arrivals arrivals;

    /**
     * A group.
     *
     * @param start packed, the lowest stamp of its rows
     * @param bound packed, above all stamps of its rows, or the highest of all stamps
     * @param from the first of the blocks that begin in it
     * @param to the block after the last of these
     * @param before the blocks that begin before it
     */
    Group(long start, long bound, int from, int to, int[] before) {
      this.start = start;
      this.bound = bound;
      this.from = from;
      this.to = to;
      this.before = before;
      int[] reaching = new int[before.length + to - from];
      int count = 0;
      long highest = start;
      for (int i = 0; i < reaching.length; i++) {
        int index = member(i);
        long end = last(index);
        highest = Math.max(highest, end);
        if (isJoined[index] && end > lastBelow()) {
          reaching[count++] = index;
        }
      }
      last = Math.min(highest, lastBelow());
      open = withoutFurthest(Arrays.copyOf(reaching, count));
    }

    private int member(int i) {
      return i < before.length ? before[i] : from + i - before.length;
    }

    private long lastBelow() {
      return bound == Long.MAX_VALUE ? bound : bound - 1;
    }

    /** Leaves out the blocks that reach furthest if too many rows stay. */
    private int[] withoutFurthest(int[] reaching) {
      int rowCount = rowsOf(reaching, reaching.length);
      if (rowCount <= maxOpenRows()) {
        return reaching;
      }
      List<Integer> sorted = new ArrayList<>();
      for (int index : reaching) {
        sorted.add(index);
      }
      sorted.sort(Comparator.comparingLong(index -> last(index)));
      while (rowCount > maxOpenRows()) {
        int furthest = sorted.remove(sorted.size() - 1);
        isJoined[furthest] = false;
        rowCount -= rowCount(furthest);
      }
      return sorted.stream().mapToInt(index -> index).toArray();
    }

    /** The blocks with rows above the range. */
    int[] open() {
      return open;
    }

    @Override
    public long firstHlc() {
      return start;
    }

    @Override
    public long lastHlc() {
      return last;
    }

    @Override
    public @Nullable EventBlock read() {
      left = new ArrayList<>();
      boolean continues = nextStart == start;
      if (!continues) {
        rows.clear();
      }
      addRows(wanted(continues ? before.length : 0));
      JoinedRows.Taken taken = rows.take(start, lastBelow());
      nextStart = bound;
      arrivals = taken == null ? null : taken.arrivals();
      return taken == null ? null : taken.block();
    }

    /** The members from an index on that matter, in the order of their arrival. */
    private int[] wanted(int first) {
      long[] keys = new long[before.length + to - from - first];
      int count = 0;
      for (int i = first; i < first + keys.length; i++) {
        int index = member(i);
        if (isJoined[index] && blocks.matters(sorted[index])) {
          keys[count++] = (long) sorted[index] << Integer.SIZE | index;
        }
      }
      StampOrder.sortNearlySorted(keys, count);
      int[] wanted = new int[count];
      for (int i = 0; i < count; i++) {
        wanted[i] = (int) keys[i];
      }
      return wanted;
    }

    private void addRows(int[] wanted) {
      int[] places = new int[wanted.length];
      for (int i = 0; i < wanted.length; i++) {
        places[i] = sorted[wanted[i]];
      }
      EncodedBatch batch = new EncodedBatch(wanted.length);
      blocks.read(places, batch);
      rows.begin(wanted.length);
      for (int i = 0; i < wanted.length; i++) {
        if (!rows.add(batch, i, blocks.arrival(places[i]), rowCount(wanted[i]))) {
          leave(wanted[i]);
        }
      }
    }

    /** Returns a block to the merge. */
    private void leave(int index) {
      isJoined[index] = false;
      left.add(numbered(index));
    }

    @Override
    public List<Numbered> takeLeft() {
      List<Numbered> taken = left;
      left = List.of();
      return taken;
    }

    @Override
    public @Nullable Arrivals arrivals() {
      return arrivals;
    }
  }
}
