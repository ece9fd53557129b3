// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.SetColumn;
import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.state.BlockNames;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.Arrays;

/**
 * One variable in a {@link CutBatch}: the numbers that the rows write, in order, and what follows
 * from them and the state before, in each {@link CutBatch.Domain}. Used by one thread.
 */
public final class BatchColumn {
  private static final long[] NO_NUMBERS = {};
  private static final int[] NONE = {};

  private final CutBatch batch;
  private final VariableColumn column;
  private final Series series = new Series(this);
  private final Range range = new Range(this);

  /** Whether the rows write the variable, so that the batch has this column. */
  private boolean isMember;

  /** The type of the values that have these numbers. */
  private ValueType type = ValueType.LONG;

  private int size;
  private int[] nodes = NONE;
  private long[] numbers = NO_NUMBERS;
  private long[] stamps = NO_NUMBERS;

  /** The place of each write, unless that is its index. */
  private int[] places = NONE;

  /** Whether there is one write at each place; the stamps are those of the batch then. */
  private boolean isDense;

  private long[] stampsOfWrites = NO_NUMBERS;

  /* The part of the batch that is selected: its places, and the writes at these. */
  private long part = -1;
  private int firstPlace;
  private int placeCount;
  private int from;
  private int to;

  BatchColumn(CutBatch batch, VariableColumn column) {
    this.batch = batch;
    this.column = column;
  }

  /** Makes this one of the batch's columns; returns whether it was none. */
  boolean join() {
    boolean isNew = !isMember;
    if (isNew) {
      isMember = true;
      type = column.packedType();
      stampsOfWrites = stamps;
    }
    return isNew;
  }

  /** Removes all writes, and this from the batch. */
  void leave(boolean keepsMemory) {
    isMember = false;
    isDense = false;
    size = 0;
    part = -1;
    from = 0;
    to = 0;
    stampsOfWrites = NO_NUMBERS;
    if (!keepsMemory) {
      nodes = NONE;
      numbers = NO_NUMBERS;
      stamps = NO_NUMBERS;
      places = NONE;
    }
  }

  /** Whether the numbers are those of the column's type, which may have become another one. */
  boolean isOfType() {
    return type == column.packedType();
  }

  /** Whether the last write is at a place. */
  boolean endsAt(int place) {
    return size > 0 && places[size - 1] == place;
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

  /**
   * Adds the changes of some rows of a block. The place of each is its row among these.
   *
   * @param stampsOfRows receives the stamps of the rows if each has a change
   * @return false if not all of them are numbers of the type
   */
  boolean addAll(SetColumn from, int row, int count, BlockNames block, long[] stampsOfRows) {
    if (from.type() != type) {
      return false;
    }
    ensureCapacity(from.count(row, count) + SetColumn.SLACK);
    isDense = from.isInEachRow();
    stampsOfWrites = isDense ? stampsOfRows : stamps;
    size =
        from.copy(
            block.block(), row, count, block.nodeIds(), numbers, places, stampsOfWrites, nodes);
    return block.toNumbers(numbers, size, column);
  }

  private void ensureCapacity(int needed) {
    if (nodes.length < needed) {
      int capacity = Math.max(needed, 2 * nodes.length);
      nodes = Arrays.copyOf(nodes, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      stamps = Arrays.copyOf(stamps, capacity);
      places = Arrays.copyOf(places, capacity);
      stampsOfWrites = stamps;
    }
  }

  /** Sets the entry for the place of each write to 1. */
  void mark(int[] written) {
    for (int i = 0; i < size; i++) {
      written[places[i]] = 1;
    }
  }

  /** Moves each write to another place, which follows from the one that it has. */
  void move(int[] placeOf) {
    for (int i = 0; i < size; i++) {
      places[i] = placeOf[places[i]];
    }
  }

  /** Selects the writes of the places {@code first} to {@code end - 1}, for a part. */
  void select(int first, int end, long number) {
    part = number;
    firstPlace = first;
    placeCount = end - first;
    from = indexOf(first);
    to = indexOf(end);
    range.begin();
  }

  /** Selects the early or late cuts of a block that is not read, whose nodes have these ids. */
  void select(LongZone.Variable zone, boolean early, int[] nodesOfZone, long number) {
    part = number;
    from = 0;
    to = 0;
    range.begin(zone, early, nodesOfZone);
  }

  /** Selects that the variable is not written in the present part, unless it was selected. */
  private void selectUnlessSelected() {
    if (part != batch.part()) {
      part = batch.part();
      from = 0;
      to = 0;
      placeCount = batch.placesOfPart();
      range.begin();
    }
  }

  private int indexOf(int place) {
    return isDense ? place : CutBatch.firstAt(place, places, size);
  }

  /**
   * The place of the first selected write that does something else than to replace a number by
   * another; {@code end} if there is none.
   *
   * @param nodeCount the number of all nodes
   */
  int firstOther(int nodeCount, int end) {
    if (from == to || (isOfType() && column.replacesNumbers(nodeCount, nodes, from, to))) {
      return end;
    }
    int write = from;
    while (isOfType() && column.isPacked(nodes[write])) {
      write++;
    }
    return isDense ? write : places[write];
  }

  /** Keeps the state before the part, because its writes will be applied. */
  void beginSeries() {
    if (from < to) {
      series.begin(part);
    }
  }

  /** Applies the writes of the places {@code first} to {@code end - 1}. */
  void apply(int first, int end) {
    int start = indexOf(first);
    int stop = indexOf(end);
    if (start < stop) {
      column.replaceNumbers(nodes, numbers, stampsOfWrites, start, stop);
    }
  }

  VariableColumn column() {
    return column;
  }

  long part() {
    return part;
  }

  int placeCount() {
    return placeCount;
  }

  /** The place of a write, counted from the first one of the part. */
  int placeOf(int write) {
    return (isDense ? write : places[write]) - firstPlace;
  }

  int[] nodes() {
    return nodes;
  }

  long[] numbers() {
    return numbers;
  }

  /** The first selected write. */
  int from() {
    return from;
  }

  /** The write after the last selected one. */
  int to() {
    return to;
  }

  /**
   * Returns the numbers of a node, which has one, in the batch's domain: the present one, one for
   * each place, or bounds.
   *
   * @param memory for two numbers; may be the result
   */
  public long[] at(int node, long[] memory) {
    selectUnlessSelected();
    return switch (batch.domain()) {
      case PLACES -> series.at(node);
      case RANGE -> range.at(node, memory);
      case PRESENT -> put(column.number(node), memory);
      case NODES, WRITES -> throw new AssertionError("one node among " + batch.domain());
    };
  }

  /** Returns the smallest numbers in the domain, likewise; all values must be numbers. */
  public long[] mins(long[] memory) {
    selectUnlessSelected();
    return switch (batch.domain()) {
      case PLACES -> series.mins();
      case RANGE -> range.ofMin(memory);
      case PRESENT -> put(column.min(), memory);
      case NODES, WRITES -> throw new AssertionError("extremes among " + batch.domain());
    };
  }

  /** Returns the largest numbers in the domain, likewise; all values must be numbers. */
  public long[] maxs(long[] memory) {
    selectUnlessSelected();
    return switch (batch.domain()) {
      case PLACES -> series.maxs();
      case RANGE -> range.ofMax(memory);
      case PRESENT -> put(column.max(), memory);
      case NODES, WRITES -> throw new AssertionError("extremes among " + batch.domain());
    };
  }

  private static long[] put(long number, long[] memory) {
    memory[0] = number;
    return memory;
  }

  /** Returns bounds of all numbers, in the domain RANGE. */
  public long[] all(long[] memory) {
    selectUnlessSelected();
    return range.ofAll(memory);
  }

  /** A lower bound of the difference between the largest and the smallest LONG, in RANGE. */
  public long spreadLow() {
    selectUnlessSelected();
    return range.spreadLow();
  }

  /** An upper bound of this difference; negative if it may not fit into a LONG. */
  public long spreadHigh() {
    selectUnlessSelected();
    return range.spreadHigh();
  }

  /** The number of the writes in the part that is examined. */
  public int writeCount() {
    selectUnlessSelected();
    return to - from;
  }

  /** Copies the numbers that the part writes, as many as {@link #writeCount}. */
  public void copyWritten(long[] into) {
    System.arraycopy(numbers, from, into, 0, to - from);
  }

  /**
   * Copies the numbers of the nodes that have one, in the order of nodes: those before the part
   * that is examined, or the present ones.
   */
  public void copyOfNodes(boolean areBefore, long[] into) {
    selectUnlessSelected();
    series.copyOfNodes(areBefore, into);
  }

  /**
   * Counts at each place of the part that is examined at how many nodes a test is TRUE.
   *
   * @param ofNodes the truth before the part at each node that has a number, in their order
   * @param ofWrites the truth of each write
   * @param counts receives the number at each place
   */
  public void count(byte[] ofNodes, byte[] ofWrites, long[] counts) {
    series.count(ofNodes, ofWrites, counts);
  }
}
