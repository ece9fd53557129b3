// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.event.EventBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that a merge has open, each in a slot with a small number that is used again after the
 * window that last refers to it. Used by one thread.
 */
final class BlockSlots {
  private final RowTest wanted;
  private final long from;
  private final long to;
  private final Comparator<Run> ties;
  private final List<@Nullable EventBlock> blocks = new ArrayList<>();
  private final List<Arrivals> arrivals = new ArrayList<>();
  private final List<BlockSource> sources = new ArrayList<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private final List<Integer> left = new ArrayList<>();

  private final PerBlock<int[]> runIds = new PerBlock<>(this::idsOf);
  private final RunTable ids = new RunTable();
  private int[] ranks = new int[0];

  BlockSlots(RowTest wanted, long from, long to, Comparator<Run> ties) {
    this.wanted = wanted;
    this.from = from;
    this.to = to;
    this.ties = ties.thenComparing(Run::node).thenComparing(Run::incarnation);
  }

  long from() {
    return from;
  }

  long to() {
    return to;
  }

  IntPredicate wanted(EventBlock block) {
    return wanted.in(block);
  }

  /** Returns whether every row of a block is wanted, apart from the range. */
  boolean takesAll(EventBlock block) {
    return wanted.takesAll(block);
  }

  /** The index of the first row in the range. */
  int firstRow(EventBlock block) {
    return block.firstAt(from);
  }

  /** Puts a block of a source into a slot; {@code own} are the arrivals of its rows. */
  int take(EventBlock block, Arrivals own, BlockSource source) {
    Integer slot = free.poll();
    if (slot == null) {
      slot = blocks.size();
      blocks.add(block);
      arrivals.add(own);
      sources.add(source);
    } else {
      blocks.set(slot, block);
      arrivals.set(slot, own);
      sources.set(slot, source);
    }
    return slot;
  }

  /** Frees a slot from the next window on. */
  void leave(int slot) {
    left.add(slot);
  }

  /** Takes back that a slot was left in this window. */
  void keep(int slot) {
    left.remove((Integer) slot);
  }

  /** Begins a window, which refers to open blocks only, and releases the others. */
  void beginWindow() {
    for (int slot : left) {
      sources.get(slot).release(block(slot));
      blocks.set(slot, null);
      free.add(slot);
    }
    left.clear();
  }

  EventBlock block(int slot) {
    EventBlock block = blocks.get(slot);
    if (block == null) {
      throw new IllegalStateException("slot " + slot + " is free");
    }
    return block;
  }

  /** The number of slots. */
  int count() {
    return blocks.size();
  }

  /** The index, among all runs so far, of the run of each node of an open block. */
  int[] runIds(int slot) {
    return runIds.of(slot, block(slot));
  }

  /** All runs so far. */
  List<Run> runs() {
    return ids.runs();
  }

  /** Compares rows with equal stamps. */
  int compareTied(int slotA, int rowA, int slotB, int rowB) {
    int runA = run(slotA, rowA);
    int runB = run(slotB, rowB);
    if (ranks.length != ids.runs().size()) {
      rankAll();
    }
    int byRun = Integer.compare(ranks[runA], ranks[runB]);
    int byBlock = byRun != 0 ? byRun : Long.compare(arrival(slotA, rowA), arrival(slotB, rowB));
    return byBlock != 0 ? byBlock : Integer.compare(rowA, rowB);
  }

  private long arrival(int slot, int row) {
    return arrivals.get(slot).of(row);
  }

  /** Returns whether rows of a block, {@code from} to {@code to - 1}, are in the order of ties. */
  boolean areTiesInOrder(int slot, int from, int to) {
    EventBlock block = block(slot);
    int[] own = runIds.of(slot, block);
    if (ranks.length != ids.runs().size()) {
      rankAll();
    }
    for (int row = block.nextTie(from + 1, to); row < to; row = block.nextTie(row + 1, to)) {
      if (ranks[own[block.nodeIndex(row - 1)]] > ranks[own[block.nodeIndex(row)]]) {
        return false;
      }
    }
    return true;
  }

  private int run(int slot, int row) {
    EventBlock block = block(slot);
    return runIds.of(slot, block)[block.nodeIndex(row)];
  }

  private int[] idsOf(EventBlock block) {
    int[] own = new int[block.nodes().size()];
    for (int i = 0; i < own.length; i++) {
      own[i] = ids.idOf(block.nodes().get(i), block.incarnation(i));
    }
    return own;
  }

  private void rankAll() {
    List<Run> runs = ids.runs();
    List<Integer> sorted = new ArrayList<>();
    for (int id = 0; id < runs.size(); id++) {
      sorted.add(id);
    }
    sorted.sort((a, b) -> ties.compare(runs.get(a), runs.get(b)));
    ranks = new int[sorted.size()];
    for (int rank = 0; rank < ranks.length; rank++) {
      ranks[sorted.get(rank)] = rank;
    }
  }
}
