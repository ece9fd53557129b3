package io.retroscope.rql.cut;

import io.retroscope.event.EventBlock;
import java.util.Arrays;

/** The LONGs that a stretch of rows writes into one variable, in order. Used by one thread. */
final class ColumnWrites {
  private final VariableColumn column;
  private int size;

  /** Whether the place of each write is its index, so that {@link #places} is not filled. */
  private boolean isDense;

  private int[] nodes = new int[16];
  private long[] numbers = new long[16];
  private long[] stamps = new long[16];

  /** The place of each write among those of all variables. */
  private int[] places = new int[16];

  /* The numbers before each write, and since when. */
  private long[] goneNumbers = new long[16];
  private long[] goneChanges = new long[16];

  /* The selected writes. */
  private int from;
  private int to;

  ColumnWrites(VariableColumn column) {
    this.column = column;
  }

  /** Whether the writes are of this column. */
  boolean isOf(VariableColumn other) {
    return column == other;
  }

  void clear() {
    size = 0;
    isDense = false;
    from = 0;
    to = 0;
  }

  void add(int node, long number, long stamp, int place) {
    ensureCapacity(size + 1);
    nodes[size] = node;
    numbers[size] = number;
    stamps[size] = stamp;
    places[size++] = place;
  }

  /** Removes the writes from a place on. */
  void removeFrom(int place) {
    while (size > 0 && places[size - 1] >= place) {
      size--;
    }
  }

  /** Whether the last write is at or after a place. */
  boolean endsAtOrAfter(int place) {
    return size > 0 && places[size - 1] >= place;
  }

  /**
   * Adds rows of a block that write nothing but LONGs into this column.
   *
   * @param nodeIds the ids of the block's nodes, by their indexes
   * @return whether no two of the rows are of one node and one stamp
   */
  boolean addAll(EventBlock block, int row, int count, int[] nodeIds) {
    ensureCapacity(count);
    block.copyStamps(row, count, stamps, 0);
    block.copyBits(row, count, numbers, 0);
    block.copyNodes(row, count, nodeIds, nodes);
    size = count;
    isDense = true;
    return areDistinct(block, row, count);
  }

  private boolean areDistinct(EventBlock block, int row, int count) {
    int end = row + count;
    for (int tie = block.nextTie(row + 1, end); tie < end; tie = block.nextTie(tie + 1, end)) {
      if (nodes[tie - row] == nodes[tie - row - 1]) {
        return false;
      }
    }
    return true;
  }

  long[] stamps() {
    return stamps;
  }

  /** Selects the writes of the places {@code first} to {@code end - 1}. */
  void select(int first, int end) {
    from = indexOf(first);
    to = indexOf(end);
  }

  /** The index of the first write at or after a place. */
  private int indexOf(int place) {
    if (isDense) {
      return place;
    }
    int found = Arrays.binarySearch(places, 0, size, place);
    return found < 0 ? -found - 1 : found;
  }

  /** Begins a stretch of the selected writes; returns whether each replaces a LONG. */
  boolean beginStretch(int nodeCount) {
    return column.beginStretch(nodeCount, nodes, numbers, from, to);
  }

  /** Whether each of the selected writes replaces a LONG. */
  boolean replaceLongs(int nodeCount) {
    return column.replacesLongs(nodeCount, nodes, from, to);
  }

  /** Begins a stretch of the selected writes, at each of which the values are examined. */
  void beginSeries(Stretch stretch, int first) {
    column.beginSeries(stretch, nodes, numbers, from, to, places, first);
  }

  void narrowStretch() {
    column.narrowStretch(nodes, numbers, from, to);
  }

  void endStretch() {
    column.endStretch();
  }

  /** Applies the selected writes, which were examined last. */
  void apply() {
    column.replaceLongs(nodes, numbers, stamps, from, to);
  }

  static void store(
      int[] nodes, long[] written, long[] stamps, int from, int to, long[] now, long[] changedAt) {
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      if (now[node] != written[i]) {
        now[node] = written[i];
        changedAt[node] = stamps[i];
      }
    }
  }

  /**
   * Applies the selected writes one by one and keeps what they replace; returns false, and applies
   * none, if one does not replace a LONG.
   */
  boolean applySingly() {
    for (int i = from; i < to; i++) {
      if (!column.isLong(nodes[i])) {
        return false;
      }
    }
    for (int i = from; i < to; i++) {
      goneNumbers[i] = column.number(nodes[i]);
      goneChanges[i] = column.changedAt(nodes[i]);
      column.replaceLong(nodes[i], numbers[i], stamps[i]);
    }
    return true;
  }

  /** Takes back what {@link #applySingly} did. */
  void takeBack() {
    for (int i = to - 1; i >= from; i--) {
      column.restoreLong(nodes[i], goneNumbers[i], goneChanges[i]);
    }
  }

  private void ensureCapacity(int needed) {
    if (nodes.length < needed) {
      int capacity = Math.max(needed, 2 * nodes.length);
      nodes = Arrays.copyOf(nodes, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      stamps = Arrays.copyOf(stamps, capacity);
      places = Arrays.copyOf(places, capacity);
      goneNumbers = Arrays.copyOf(goneNumbers, capacity);
      goneChanges = Arrays.copyOf(goneChanges, capacity);
    }
  }
}
