// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.Joined.Numbered;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A merge of blocks in the order of stamps, one window of rows after the other. A block is read
 * only when its first stamp is due. Used by one thread.
 *
 * <p>Events with equal stamps are in the order of their runs, and those that even a run has in
 * common in the order of the blocks. A window contains all rows of each of its stamps.
 */
public final class ArrivalWindow {
  /*
   * Blocks that follow each other form a lane, so that there are about as many lanes as nodes,
   * however small the blocks are. Of a few lanes, the stamps up to the next end of a block are merged
   * as columns, and rows of blocks of which only some are wanted by a loser tree. Of many, the rows
   * within a span of time are gathered and sorted by radix, which takes the same time for each row
   * whatever the number of lanes. The span follows the density of the rows. If it reaches from a
   * quiet time into a busy one, the window would have too many rows: then it begins again with a
   * shorter span.
   *
   * If the next rows of one block precede all other lanes, as in sorted history, they are a window by
   * themselves: a straight one, of which nothing is copied. So that little is merged where a few
   * blocks overlap, as at the borders of sealed batches or around a late block, a merge ends where a
   * block has ended and many rows of another one come next.
   */

  /** The number of lanes up to which the loser tree is faster. */
  private static final int MAX_TREE_LANES = 8;

  private static final int TARGET_ROWS = 8_192;
  private static final int INITIAL_ROWS = 64;
  private static final int MAX_SPAN_STEP = 4;

  /** The rows from which on a part of a block is a window by itself. */
  private static final int MIN_STRAIGHT_ROWS = 64;

  /** The rows of a window of several stamps from which on it begins again. */
  private static final int MAX_ROWS = 4 * TARGET_ROWS;

  private static final int OVERFLOW_STEP = 16;

  /** A millisecond, as the difference of packed stamps. */
  private static final long FIRST_SPAN = 1_000L << 12;

  private BlockSlots slots;
  private List<Lane> lanes;
  private final @Nullable Origin origin;

  /** Packed; all rows below are in earlier windows. */
  private long nextHlc;

  private LoserTree tree = new LoserTree(List.of());
  private WindowBlock columns;
  private boolean isOfFewLanes;
  private boolean hasNewLanes;
  private final StampOrder stampOrder = new StampOrder();

  private long span = FIRST_SPAN;
  private long rowCount;
  private int size;
  private long[] stamps = new long[INITIAL_ROWS];
  private int[] slotOf = new int[INITIAL_ROWS];
  private int[] rows = new int[INITIAL_ROWS];
  private int[] order = new int[INITIAL_ROWS];

  /* The block of which the window consists, its slot, and the window's first row in it. */
  private @Nullable EventBlock straight;
  private boolean isJoinTried;
  private int straightSlot;
  private int straightRow;

  /** Where the blocks of a merge come from, and which of their rows it takes. */
  private record Origin(BlockSets sets, RowTest wanted, long to, Comparator<Run> ties) {
    List<Numbered> sources(long from) {
      List<Numbered> sources = new ArrayList<>();
      for (BlockSet set : sets.from(from)) {
        sources.addAll(JoinedBlocks.of(set.sources(), set.join().orElse(null)));
      }
      return sources;
    }

    BlockSlots slots(long from) {
      return new BlockSlots(wanted, from, to, ties);
    }
  }

  /**
   * A merge, before its first window.
   *
   * @param sources in the order of their arrival
   * @param from packed, the lowest stamp to return
   * @param to packed, the highest stamp to return
   * @param ties the order of runs for events with equal stamps
   */
  public ArrivalWindow(
      List<? extends BlockSource> sources,
      RowTest wanted,
      long from,
      long to,
      Comparator<Run> ties) {
    this(sources, wanted, from, to, ties, null);
  }

  /**
   * A merge of blocks, and of further ones that are joined before.
   *
   * @param sources in the order of their arrival
   * @param from packed, the lowest stamp to return
   * @param to packed, the highest stamp to return
   * @param ties the order of runs for events with equal stamps
   * @param join the further blocks; null if there are none
   */
  public ArrivalWindow(
      List<? extends BlockSource> sources,
      RowTest wanted,
      long from,
      long to,
      Comparator<Run> ties,
      JoinedBlocks.@Nullable Rule join) {
    this(JoinedBlocks.of(sources, join), new BlockSlots(wanted, from, to, ties));
  }

  ArrivalWindow(List<Numbered> sources, BlockSlots slots) {
    this.origin = null;
    this.slots = slots;
    columns = new WindowBlock(slots);
    lanes = Lane.of(sources, slots);
    beginTree();
  }

  /**
   * A merge of the blocks of several stores, of which none has a run in common with another. If
   * blocks have {@linkplain BlocksMovedException moved}, it continues after its last window with
   * those that the sets have then.
   *
   * @param from packed, the lowest stamp to return
   * @param to packed, the highest stamp to return
   * @param ties the order of runs for events with equal stamps
   */
  public ArrivalWindow(BlockSets sets, RowTest wanted, long from, long to, Comparator<Run> ties) {
    Origin own = new Origin(sets, wanted, to, ties);
    origin = own;
    nextHlc = from;
    slots = own.slots(from);
    columns = new WindowBlock(slots);
    lanes = Lane.of(own.sources(from), slots);
    beginTree();
  }

  /** Begins again after the last window. */
  private void restart(Origin from) {
    slots = from.slots(nextHlc);
    columns = new WindowBlock(slots);
    lanes = Lane.of(from.sources(nextHlc), slots);
    hasNewLanes = false;
    beginTree();
  }

  /** A merge of all rows of one log, and of the starts and stops of nodes. */
  public ArrivalWindow(List<EventBlock> blocks, String log, Comparator<Run> ties) {
    this(
        blocks.stream().map(BlockSource::of).toList(),
        RowTest.ofLogs(Set.of(log)),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        ties);
  }

  private void beginTree() {
    isOfFewLanes = lanes.size() <= MAX_TREE_LANES;
    tree = new LoserTree(isOfFewLanes ? lanes : List.of());
  }

  /** Opens the present block of a lane, which may add lanes. */
  private void open(Lane lane) {
    List<Numbered> others = lane.open();
    if (!others.isEmpty()) {
      List<Lane> added = Lane.of(others, slots);
      added.forEach(Lane::mark);
      lanes.addAll(added);
      tree = new LoserTree(isOfFewLanes ? lanes : List.of());
      hasNewLanes = true;
    }
  }

  /** Between two windows, forgets lanes that have ended if there are new ones. */
  private void removeLanes() {
    if (hasNewLanes) {
      hasNewLanes = false;
      lanes.removeIf(Lane::isEnded);
      beginTree();
    }
  }

  /** Moves to the next window; returns false if there is none. */
  public boolean next() {
    Origin from = origin;
    if (from == null) {
      return fill();
    }
    while (true) {
      try {
        boolean has = fill();
        nextHlc = has ? hlc(size - 1) + 1 : nextHlc;
        return has;
      } catch (BlocksMovedException e) {
        restart(from);
      }
    }
  }

  private boolean fill() {
    slots.beginWindow();
    removeLanes();
    size = 0;
    straight = null;
    isJoinTried = false;
    if (isStraight()) {
      rowCount += size;
      return true;
    }
    if (isOfFewLanes) {
      fillFromTree();
    } else {
      gather();
    }
    order = stampOrder.of(stamps, size);
    TieOrder.sort(stamps, order, 0, size, this::compareTied);
    rowCount += size;
    return size > 0;
  }

  /**
   * The block whose rows are exactly the next ones, if it is complete in the range and not read
   * yet; null otherwise. To be called before {@link #next}.
   */
  public @Nullable BlockSource nextAlone() {
    if (lanes.isEmpty()) {
      return null;
    }
    Lane first = first();
    return isAlone(first) ? first.unread() : null;
  }

  /** Passes over the block that {@link #nextAlone} returned. */
  public void skip() {
    nextHlc = first().blockLastHlc() + 1;
    first().skip();
    tree.replay();
  }

  /** Whether the first lane's block ends before all other lanes continue. */
  private boolean isAlone(Lane first) {
    BlockSource block = first.unread();
    if (block == null) {
      return false;
    }
    for (Lane lane : lanes) {
      if (lane != first && !lane.isEnded() && lane.hlc() <= block.lastHlc()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Makes a window of several blocks one of one block, whose columns are read much faster than
   * rows, if each row does nothing but set the same variable to a LONG, there are few runs, and a
   * block can have as many rows. Its block must not be read after the window.
   */
  public void join() {
    boolean fits = MIN_STRAIGHT_ROWS <= size && size <= EventBlock.MAX_EVENTS;
    if (straight != null || isJoinTried || !fits) {
      return;
    }
    isJoinTried = true;
    EventBlock joined = columns.block(new WindowBlock.Window(stamps, slotOf, rows, order, size));
    if (joined != null) {
      straightSlot = slots.take(joined, row -> 0, BlockSource.of(joined));
      slots.leave(straightSlot);
      straightRow = 0;
      straight = joined;
    }
  }

  /** The number of rows in all windows so far. */
  public long rowCount() {
    return rowCount;
  }

  /** The number of rows in the window. */
  public int size() {
    return size;
  }

  /** The packed stamp of a row of the window. */
  public long hlc(int index) {
    return straight == null ? stamps[order[index]] : straight.hlc(straightRow + index);
  }

  /** The block of a row of the window. */
  public EventBlock block(int index) {
    return straight == null ? slots.block(slotOf[order[index]]) : straight;
  }

  /** The index in its block of a row of the window. */
  public int row(int index) {
    return straight == null ? rows[order[index]] : straightRow + index;
  }

  /** Whether the window consists of consecutive rows of one block. */
  public boolean isOfOneBlock() {
    return straight != null;
  }

  /** A small number that no other block of the window has. */
  int slot(int index) {
    return straight == null ? slotOf[order[index]] : straightSlot;
  }

  /** The rows from the next window on, as events. */
  public Iterator<Event> events() {
    return events((event, block) -> event);
  }

  /** Like {@link #events()}, with a function of each event and its block. */
  public Iterator<Event> events(BiFunction<Event, EventBlock, Event> attribution) {
    return new Iterator<>() {
      private int at = size;

      @Override
      public boolean hasNext() {
        if (at < size) {
          return true;
        }
        at = 0;
        return ArrivalWindow.this.next();
      }

      @Override
      public Event next() {
        if (!hasNext()) {
          throw new NoSuchElementException("no more events in the range");
        }
        EventBlock block = block(at);
        return attribution.apply(block.event(row(at++)), block);
      }
    };
  }

  /** Makes the next rows of one block the window if they precede all other lanes. */
  private boolean isStraight() {
    Lane first = openFirst();
    if (first == null) {
      return false;
    }
    EventBlock block = first.block();
    int end = straightEnd(first);
    if (block == null || end == first.row()) {
      return false;
    }
    boolean isRest = isOfFewLanes && end == block.size();
    if (!(isRest || end - first.row() >= MIN_STRAIGHT_ROWS)
        || !slots.areTiesInOrder(first.slot(), first.row(), end)) {
      return false;
    }
    straight = block;
    straightSlot = first.slot();
    straightRow = first.row();
    size = end - straightRow;
    first.moveTo(end);
    tree.replay();
    return true;
  }

  /** The row after those of the first lane's block that precede all other lanes. */
  private int straightEnd(Lane first) {
    long others = Long.MAX_VALUE;
    for (Lane lane : lanes) {
      others = lane == first || lane.isEnded() ? others : Math.min(others, lane.hlc());
    }
    return first.endBelow(others);
  }

  /** Opens blocks until the lane with the lowest stamp is open; null if all have ended. */
  private @Nullable Lane openFirst() {
    if (lanes.isEmpty()) {
      return null;
    }
    Lane first = first();
    while (!first.isEnded() && !first.isOpen()) {
      open(first);
      tree.replay();
      first = first();
    }
    return first.isEnded() ? null : first;
  }

  private Lane first() {
    if (isOfFewLanes) {
      return tree.first();
    }
    Lane first = lanes.get(0);
    for (Lane lane : lanes) {
      boolean isLower = first.isEnded() || lane.hlc() < first.hlc();
      first = isLower && !lane.isEnded() ? lane : first;
    }
    return first;
  }

  private void fillFromTree() {
    if (lanes.isEmpty()) {
      return;
    }
    boolean mayEnd = false;
    long last = Long.MIN_VALUE; // No row that was taken is above it.
    for (Lane first = tree.first(); !first.isEnded(); first = tree.first()) {
      if (!first.isOpen()) {
        if (size > 0 && first.hlc() > last && isAlone(first)) {
          return;
        }
        open(first);
        tree.replay();
        continue;
      }
      if (size > 0 && first.hlc() != last) {
        if (size >= TARGET_ROWS || (mayEnd && hasManyStraightRows(first))) {
          return;
        }
        mayEnd = false;
      }
      long bound = columnsBelow(first);
      if (bound > first.hlc()) {
        takeColumns(bound);
        last = bound - 1;
        mayEnd = true;
      } else {
        last = first.hlc();
        take(first);
        first.advance();
        mayEnd |= !first.isOpen();
        tree.replay();
      }
    }
  }

  /** A packed stamp below which all next rows are open and wanted; the present one if none is. */
  private long columnsBelow(Lane first) {
    int limit = TARGET_ROWS / lanes.size();
    long bound = first.columnsBelow(limit);
    for (int i = 0; i < lanes.size() && bound > first.hlc(); i++) {
      Lane lane = lanes.get(i);
      bound = lane.isEnded() ? bound : Math.min(bound, lane.columnsBelow(limit));
    }
    return bound;
  }

  /** Takes the rows of all lanes below a stamp. */
  private void takeColumns(long bound) {
    for (Lane lane : lanes) {
      int end = lane.isEnded() ? 0 : lane.endBelow(bound);
      if (end > lane.row()) {
        takeAll(lane, end);
      }
    }
    tree = new LoserTree(lanes);
  }

  private boolean hasManyStraightRows(Lane first) {
    return straightEnd(first) - first.row() >= MIN_STRAIGHT_ROWS;
  }

  /** Gathers the rows of the next span that has any. */
  private void gather() {
    while (size == 0 && lanes.stream().anyMatch(lane -> !lane.isEnded())) {
      long start = Long.MAX_VALUE;
      for (Lane lane : lanes) {
        lane.mark();
        start = lane.isEnded() ? start : Math.min(start, lane.hlc());
      }
      long end = start + span < start ? Long.MAX_VALUE : start + span;
      long sooner = endOfABlock(end);
      if (!gather(Math.max(start, sooner))) {
        lanes.forEach(Lane::rewind);
        size = 0;
        span /= OVERFLOW_STEP;
      } else if (sooner == end) {
        double fit = (double) TARGET_ROWS / Math.max(1, size);
        double step = Math.max(1.0 / MAX_SPAN_STEP, Math.min(MAX_SPAN_STEP, fit));
        span = Math.max(1, (long) ((double) span * step));
      }
    }
  }

  /** The end of the first block that ends up to a stamp; that stamp if many lanes are due then. */
  private long endOfABlock(long until) {
    int due = 0;
    long end = until;
    for (Lane lane : lanes) {
      if (!lane.isEnded() && lane.hlc() <= until) {
        due++;
        end = Math.min(end, lane.blockLastHlc());
      }
    }
    return due <= MAX_TREE_LANES ? end : until;
  }

  /** Gathers the rows up to a stamp; returns false if they are too many. */
  private boolean gather(long end) {
    for (int i = 0; i < lanes.size(); i++) { // Opening a block may add lanes.
      Lane lane = lanes.get(i);
      while (!lane.isEnded() && lane.hlc() <= end) {
        if (!lane.isOpen()) {
          open(lane);
        } else if (lane.endUpTo(end) > lane.row()) {
          takeAll(lane, Math.min(lane.endUpTo(end), lane.row() + MAX_ROWS));
        } else {
          take(lane);
          lane.advance();
        }
        if (size > MAX_ROWS && span > 0) {
          return false;
        }
      }
    }
    return true;
  }

  private void ensureRoom(int count) {
    if (size + count > stamps.length) {
      int capacity = Math.max(size + count, 2 * stamps.length);
      stamps = Arrays.copyOf(stamps, capacity);
      slotOf = Arrays.copyOf(slotOf, capacity);
      rows = Arrays.copyOf(rows, capacity);
    }
  }

  /** Takes the rows of an open block up to a row. */
  private void takeAll(Lane lane, int end) {
    int first = lane.row();
    int count = end - first;
    ensureRoom(count);
    lane.copyStamps(count, stamps, size);
    Arrays.fill(slotOf, size, size + count, lane.slot());
    for (int i = 0; i < count; i++) {
      rows[size + i] = first + i;
    }
    size += count;
    lane.moveTo(end);
  }

  private void take(Lane lane) {
    ensureRoom(1);
    stamps[size] = lane.hlc();
    slotOf[size] = lane.slot();
    rows[size] = lane.row();
    size++;
  }

  private int compareTied(int a, int b) {
    return slots.compareTied(slotOf[a], rows[a], slotOf[b], rows[b]);
  }
}
