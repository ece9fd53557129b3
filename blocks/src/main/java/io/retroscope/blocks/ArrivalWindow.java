package io.retroscope.blocks;

import io.retroscope.event.EventBlock;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A merge of the blocks that nodes sent, in the order of stamps, one window of rows after the
 * other. It returns the rows of one log and the starts and stops of nodes. Used by one thread.
 *
 * <p>Events with equal stamps are in the order of their runs, and those that even a run has in
 * common in the order of the blocks. A window contains all rows of each of its stamps.
 */
public final class ArrivalWindow {
  /*
   * Blocks that follow each other form a lane, so that there are about as many lanes as nodes,
   * however small the blocks are. A few lanes are merged by a loser tree. Of many, the rows within a
   * span of time are gathered and sorted by radix, which takes the same time for each row whatever
   * the number of lanes. The span follows the density of the rows.
   */

  /** The number of lanes up to which the loser tree is faster. */
  private static final int MAX_TREE_LANES = 8;

  private static final int TARGET_ROWS = 8_192;
  private static final int MAX_SPAN_STEP = 4;

  /** The number of equal stamps up to which insertion is faster than a general sort. */
  private static final int MAX_INSERTIONS = 24;

  private final List<EventBlock> blocks;
  private final List<Lane> lanes;
  private final LoserTree tree;
  private final StampOrder stampOrder = new StampOrder();

  /** The position of each node's run in the order of runs, by block and index of the node. */
  private final int[][] ranks;

  private long span;
  private int size;
  private long[] stamps = new long[TARGET_ROWS];
  private int[] blockNumbers = new int[TARGET_ROWS];
  private int[] rows = new int[TARGET_ROWS];
  private int[] order = new int[TARGET_ROWS];

  /**
   * A merge, before its first window.
   *
   * @param blocks in the order of their arrival
   * @param ties the order of runs for events with equal stamps
   */
  public ArrivalWindow(List<EventBlock> blocks, String log, Comparator<Run> ties) {
    this.blocks = List.copyOf(blocks);
    lanes = Lane.of(this.blocks, log);
    tree = new LoserTree(lanes.size() <= MAX_TREE_LANES ? lanes : List.of());
    ranks = ranks(this.blocks, ties);
    span = firstSpan();
  }

  private static int[][] ranks(List<EventBlock> blocks, Comparator<Run> ties) {
    TreeSet<Run> sorted =
        new TreeSet<>(ties.thenComparing(Run::node).thenComparing(Run::incarnation));
    for (EventBlock block : blocks) {
      block.nodes().forEach(node -> sorted.add(new Run(node, block.incarnation())));
    }
    Map<Run, Integer> rankOf = new HashMap<>();
    sorted.forEach(run -> rankOf.put(run, rankOf.size()));
    return blocks.stream()
        .map(
            block ->
                block.nodes().stream()
                    .mapToInt(node -> rankOf.getOrDefault(new Run(node, block.incarnation()), 0))
                    .toArray())
        .toArray(int[][]::new);
  }

  private long firstSpan() {
    double first = Double.POSITIVE_INFINITY;
    double last = Double.NEGATIVE_INFINITY;
    double count = 1;
    for (EventBlock block : blocks) {
      if (!block.isEmpty()) {
        first = Math.min(first, (double) block.firstHlc());
        last = Math.max(last, (double) block.lastHlc());
        count += block.size();
      }
    }
    return Math.max(1, (long) ((last - first) / count * TARGET_ROWS));
  }

  /** Moves to the next window; returns false if there is none. */
  public boolean next() {
    size = 0;
    if (lanes.size() <= MAX_TREE_LANES) {
      fillFromTree();
      orderAsFilled();
    } else {
      gather();
      order = stampOrder.of(stamps, size);
    }
    orderTies();
    return size > 0;
  }

  /** The number of rows in the window. */
  public int size() {
    return size;
  }

  /** The packed stamp of a row of the window. */
  public long hlc(int index) {
    return stamps[order[index]];
  }

  /** The block of a row of the window, by its position in the list of blocks. */
  public int blockNumber(int index) {
    return blockNumbers[order[index]];
  }

  /** The index in its block of a row of the window. */
  public int row(int index) {
    return rows[order[index]];
  }

  private void fillFromTree() {
    if (lanes.isEmpty()) {
      return;
    }
    for (Lane first = tree.first(); !first.isEnded(); first = tree.first()) {
      if (size >= TARGET_ROWS && first.hlc() != stamps[size - 1]) {
        return;
      }
      take(first);
      tree.advance();
    }
  }

  private void orderAsFilled() {
    if (order.length < size) {
      order = new int[stamps.length];
    }
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
  }

  private void gather() {
    long start = Long.MAX_VALUE;
    for (Lane lane : lanes) {
      start = lane.isEnded() ? start : Math.min(start, lane.hlc());
    }
    long end = start + span < start ? Long.MAX_VALUE : start + span;
    for (Lane lane : lanes) {
      while (!lane.isEnded() && lane.hlc() <= end) {
        take(lane);
        lane.advance();
      }
    }
    double fit = (double) TARGET_ROWS / Math.max(1, size);
    double step = Math.max(1.0 / MAX_SPAN_STEP, Math.min(MAX_SPAN_STEP, fit));
    span = Math.max(1, (long) ((double) span * step));
  }

  private void take(Lane lane) {
    if (size == stamps.length) {
      stamps = Arrays.copyOf(stamps, 2 * size);
      blockNumbers = Arrays.copyOf(blockNumbers, 2 * size);
      rows = Arrays.copyOf(rows, 2 * size);
    }
    stamps[size] = lane.hlc();
    blockNumbers[size] = lane.number();
    rows[size] = lane.row();
    size++;
  }

  private void orderTies() {
    for (int from = 0; from < size; ) {
      int to = from + 1;
      while (to < size && stamps[order[to]] == stamps[order[from]]) {
        to++;
      }
      if (to - from > 1) {
        orderTies(from, to);
      }
      from = to;
    }
  }

  private void orderTies(int from, int to) {
    if (to - from > MAX_INSERTIONS) {
      orderManyTies(from, to);
      return;
    }
    for (int i = from + 1; i < to; i++) {
      int moved = order[i];
      int at = i;
      for (; at > from && compareTied(order[at - 1], moved) > 0; at--) {
        order[at] = order[at - 1];
      }
      order[at] = moved;
    }
  }

  private void orderManyTies(int from, int to) {
    Integer[] tied = new Integer[to - from];
    for (int i = from; i < to; i++) {
      tied[i - from] = order[i];
    }
    Arrays.sort(tied, this::compareTied);
    for (int i = from; i < to; i++) {
      order[i] = tied[i - from];
    }
  }

  private int compareTied(int a, int b) {
    int byRank = Integer.compare(rank(a), rank(b));
    int byBlock = byRank != 0 ? byRank : Integer.compare(blockNumbers[a], blockNumbers[b]);
    return byBlock != 0 ? byBlock : Integer.compare(rows[a], rows[b]);
  }

  private int rank(int index) {
    int block = blockNumbers[index];
    return ranks[block][blocks.get(block).nodeIndex(rows[index])];
  }
}
