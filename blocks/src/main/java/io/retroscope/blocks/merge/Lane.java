// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.merge.Joined.Numbered;
import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of blocks of which each begins after the one before ends. A block is read when it is
 * opened, and until then its first stamp represents its rows. Used by one thread.
 */
final class Lane {
  private final List<Numbered> sources = new ArrayList<>();
  private final BlockSlots slots;
  private long lastHlc;

  private int at;
  private @Nullable EventBlock block;
  private @Nullable IntPredicate wanted;
  private boolean takesAll;
  private int slot;
  private int row;
  private long hlc;
  private boolean ended;
  private @Nullable Mark mark;

  /** A position to which the lane can return. */
  private record Mark(
      int at,
      @Nullable EventBlock block,
      @Nullable IntPredicate wanted,
      int slot,
      int row,
      long hlc,
      boolean ended) {}

  private Lane(BlockSlots slots) {
    this.slots = slots;
  }

  private void append(Numbered next) {
    sources.add(next);
    lastHlc = next.source().lastHlc();
  }

  /** Distributes blocks over as few lanes as possible. */
  static List<Lane> of(List<Numbered> sources, BlockSlots slots) {
    List<Numbered> sorted = new ArrayList<>(sources);
    sorted.sort(Comparator.comparingLong(each -> each.source().firstHlc()));
    List<Lane> lanes = new ArrayList<>();
    PriorityQueue<Lane> byEnd = new PriorityQueue<>(Comparator.comparingLong(lane -> lane.lastHlc));
    for (Numbered next : sorted) {
      Lane free = byEnd.peek();
      boolean fits = free != null && free.lastHlc < next.source().firstHlc();
      Lane lane = fits ? byEnd.remove() : new Lane(slots);
      if (!fits) {
        lanes.add(lane);
      }
      lane.append(next);
      byEnd.add(lane);
    }
    lanes.forEach(lane -> lane.await(0));
    return lanes;
  }

  /** Whether there is no row. */
  boolean isEnded() {
    return ended;
  }

  /** Whether the block of the present row is read; otherwise it must be {@link #open opened}. */
  boolean isOpen() {
    return block != null;
  }

  /** The packed stamp of the present row, or a lower bound if its block is not open. */
  long hlc() {
    return hlc;
  }

  /** The index of the present row in its block. */
  int row() {
    return row;
  }

  /** The slot of the present block. */
  int slot() {
    return slot;
  }

  /**
   * Reads the present block and moves to its first row, or to the next block if it has none.
   *
   * @return blocks that must be merged in addition
   */
  List<Numbered> open() {
    BlockSource source = source();
    long number = sources.get(at).number();
    EventBlock read = source.read();
    if (read == null) {
      await(at + 1);
    } else {
      block = read;
      wanted = slots.wanted(read);
      takesAll = slots.takesAll(read);
      slot = slots.take(read, arrivals(), source);
      row = slots.firstRow(read) - 1;
      advance();
    }
    return source instanceof Joined joined
        ? joined.takeLeft()
        : numbered(source.following(), number);
  }

  /** Blocks that follow one have arrived after it, in their order. */
  private static List<Numbered> numbered(List<BlockSource> following, long after) {
    List<Numbered> numbered = new ArrayList<>(following.size());
    for (BlockSource next : following) {
      int place = Math.toIntExact(after + 1 + numbered.size());
      numbered.add(new Numbered(next, next.arrival(place)));
    }
    return numbered;
  }

  private BlockSource source() {
    return sources.get(at).source();
  }

  private Arrivals arrivals() {
    Arrivals ofRows = source() instanceof Joined joined ? joined.arrivals() : null;
    long number = sources.get(at).number();
    return ofRows == null ? row -> number : ofRows;
  }

  /** Moves to the next row of the open block, or to the next block. */
  void advance() {
    EventBlock open = block;
    IntPredicate test = wanted;
    if (open == null || test == null) {
      throw new IllegalStateException("the block is not open");
    }
    while (++row < open.size()) {
      if (test.test(row)) {
        hlc = open.hlc(row);
        if (hlc > slots.to()) {
          break;
        }
        return;
      }
    }
    leaveBlock();
  }

  /**
   * The row after those of the open block that are the next ones of all lanes: all are wanted, in
   * the range, and below a stamp. The present row if there are none.
   *
   * @param bound packed, the lowest stamp of the other lanes
   */
  int endBelow(long bound) {
    EventBlock open = block;
    if (open == null || hlc >= bound || !takesAll) {
      return row;
    }
    int end = open.lastHlc() < bound ? open.size() : open.firstAt(bound);
    return open.lastHlc() <= slots.to() ? end : Math.min(end, open.firstAt(slots.to() + 1));
  }

  /** Like {@link #endBelow}, for rows up to a packed stamp; those of the highest one are not. */
  int endUpTo(long last) {
    return endBelow(last == Long.MAX_VALUE ? last : last + 1);
  }

  /**
   * A packed stamp: all rows below it are among the next ones of the open block, and all of them
   * are wanted. The present one if there are no such rows.
   *
   * @param limit the largest number of these rows
   */
  long columnsBelow(int limit) {
    EventBlock open = block;
    if (open == null || hlc == Long.MIN_VALUE || !takesAll) {
      return hlc;
    }
    return open.size() - row > limit ? open.hlc(row + limit) : Math.max(hlc, open.lastHlc() + 1);
  }

  /** Copies the stamps of the next rows of the open block to a place in an array. */
  void copyStamps(int count, long[] to, int at) {
    EventBlock open = block;
    if (open == null) {
      throw new IllegalStateException("the block is not open");
    }
    open.copyStamps(row, count, to, at);
  }

  /** The open block; null if it must be opened first. */
  @Nullable EventBlock block() {
    return block;
  }

  /** The present block if it is complete in the range and not open; null otherwise. */
  @Nullable BlockSource unread() {
    if (ended || block != null) {
      return null;
    }
    BlockSource next = source();
    return next.firstHlc() >= slots.from() && next.lastHlc() <= slots.to() ? next : null;
  }

  /** Moves past the present block, which is not open. */
  void skip() {
    await(at + 1);
  }

  /** The packed stamp that no row of the present block is above. */
  long blockLastHlc() {
    return source().lastHlc();
  }

  /** Moves to a row of the open block after the present one, or to the next block. */
  void moveTo(int later) {
    row = later - 1;
    advance();
  }

  private void leaveBlock() {
    slots.leave(slot);
    await(at + 1);
  }

  /** Keeps the present position for {@link #rewind}. */
  void mark() {
    mark = new Mark(at, block, wanted, slot, row, hlc, ended);
  }

  /** Returns to the position that was marked in this window. */
  void rewind() {
    Mark to = mark;
    if (to == null) {
      throw new IllegalStateException("no position is marked");
    }
    if (block != null && block != to.block) {
      slots.leave(slot);
    }
    if (to.block != null && block != to.block) {
      slots.keep(to.slot);
    }
    if (to.block == null) {
      await(to.at); // Blocks may have been added since.
      return;
    }
    at = to.at;
    block = to.block;
    wanted = to.wanted;
    takesAll = slots.takesAll(to.block);
    slot = to.slot;
    row = to.row;
    hlc = to.hlc;
    ended = to.ended;
  }

  private void await(int next) {
    block = null;
    wanted = null;
    at = next;
    ended = next == sources.size() || sources.get(next).source().firstHlc() > slots.to();
    if (!ended) {
      hlc = Math.max(sources.get(next).source().firstHlc(), slots.from());
    }
  }
}
