// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.EventBlock;
import io.retroscope.event.RowCopies;
import io.retroscope.event.SetColumn;
import io.retroscope.event.ValueType;
import java.util.Arrays;

/**
 * The numbers that a stretch of rows writes into one variable, in order, all for values of one
 * type. Used by one thread.
 */
final class ColumnWrites {
  /** The code of changes that set a LONG. */
  private static final int LONG = RowCopies.SETS | ValueType.LONG.code();

  private final VariableColumn column;
  private ValueType type = ValueType.LONG;
  private int code;
  private boolean holdsBits;
  private int size;

  /** Whether the place of each write is its index, so that {@link #places} is not filled. */
  private boolean isDense;

  private int[] nodes = new int[16];
  private long[] numbers = new long[16];
  private long[] stamps = new long[16];

  /** The place of each write; writes of several variables in one row share one. */
  private int[] places = new int[16];

  /* The places in a dense column whose stamp is that of the place before. */
  private int tieCount;
  private int[] ties = new int[4];

  /* The numbers before each write, and since when. */
  private long[] goneNumbers = new long[16];
  private long[] goneChanges = new long[16];

  /* The selected writes. */
  private int from;
  private int to;

  ColumnWrites(VariableColumn column) {
    this.column = column;
    beginType();
  }

  private void beginType() {
    type = column.packedType();
    code = RowCopies.SETS | type.code();
    holdsBits = type == ValueType.LONG || type == ValueType.BOOLEAN;
  }

  /** Whether the writes are of this column. */
  boolean isOf(VariableColumn other) {
    return column == other;
  }

  /** The column. */
  VariableColumn column() {
    return column;
  }

  /** The code in {@link RowCopies} of the changes that are such writes. */
  int code() {
    return code;
  }

  /** Whether the number of a value is its bits. */
  boolean holdsBits() {
    return holdsBits;
  }

  /** Removes all writes; those that are added have the type that the column has now. */
  void clear() {
    beginType();
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
   * Adds rows of a block that write nothing but LONGs into this column, whose numbers are LONGs.
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

  /**
   * Adds those changes of some rows of a block that are in one of its columns. The place of each is
   * its row among these.
   *
   * @return whether all of them are numbers of the type
   */
  boolean addAll(SetColumn from, int row, int count, BlockNames block) {
    if (from.type() != type) {
      return false;
    }
    ensureCapacity(count + SetColumn.SLACK);
    isDense = from.isInEachRow();
    size = from.copy(block.block(), row, count, block.nodeIds(), numbers, places, stamps, nodes);
    return makeNumbers(block);
  }

  /** Makes numbers of the bits of values; returns false if one has none. */
  private boolean makeNumbers(BlockNames block) {
    boolean have = true;
    for (int i = 0; i < size && !holdsBits; i++) {
      long bits = numbers[i];
      have &= block.hasNumber(bits, column);
      numbers[i] = block.number(bits, column);
    }
    return have;
  }

  /**
   * Adds those changes of some rows that set a variable, which is this column's. The place of each
   * is its row among these.
   *
   * @param rowOf the row of each change
   * @param name the variable's index in the block
   * @return whether all of them are numbers of the type, and no two are of one row
   */
  boolean gather(RowCopies rows, int[] rowOf, int name, BlockNames block) {
    int count = rows.changeCount();
    ensureCapacity(count + 1);
    int other = rows.areLongs() ? code ^ LONG : otherCodes(rows.names(), name, rows.codes(), count);
    size = gather(rows.names(), name, rows.bits(), count, numbers, places);
    if (other != 0 || !makeNumbers(block)) {
      return false;
    }
    int previous = -1;
    for (int i = 0; i < size; i++) {
      int row = rowOf[places[i]];
      other |= row == previous ? 1 : 0;
      previous = row;
      places[i] = row;
      stamps[i] = rows.stamps()[row];
      nodes[i] = rows.nodes()[row];
    }
    for (int i = 0; i < size; i++) {
      nodes[i] = block.nodeIds()[nodes[i]];
    }
    return other == 0;
  }

  /** Returns 0 if all changes of a variable have the code of such writes. */
  private int otherCodes(int[] names, int name, byte[] codes, int count) {
    int other = 0;
    for (int i = 0; i < count; i++) {
      other |= names[i] == name ? codes[i] ^ code : 0;
    }
    return other;
  }

  /** The number of writes. */
  int size() {
    return size;
  }

  /** Sets the entry for the place of each write to 1. */
  void mark(int[] written) {
    for (int i = 0; i < size; i++) {
      written[places[i]] = 1;
    }
  }

  /** Moves each write to another place, which follows from the one that it has. */
  void movePlaces(int[] placeOf) {
    for (int i = 0; i < size; i++) {
      places[i] = placeOf[places[i]];
    }
  }

  private static int gather(
      int[] names, int name, long[] bits, int count, long[] numbers, int[] places) {
    int size = 0;
    for (int i = 0; i < count; i++) {
      numbers[size] = bits[i];
      places[size] = i;
      size += names[i] == name ? 1 : 0;
    }
    return size;
  }

  private boolean areDistinct(EventBlock block, int row, int count) {
    int end = row + count;
    tieCount = 0;
    for (int tie = block.nextTie(row + 1, end); tie < end; tie = block.nextTie(tie + 1, end)) {
      int place = tie - row;
      if (nodes[place] == nodes[place - 1]) {
        return false;
      }
      if (tieCount == ties.length) {
        ties = Arrays.copyOf(ties, 2 * tieCount);
      }
      ties[tieCount++] = place;
    }
    return true;
  }

  /** The number of stamps of the writes {@code first} to {@code end - 1} of {@link #addAll}. */
  int countStamps(int first, int end) {
    return first == end ? 0 : end - first - tiesBefore(end) + tiesBefore(first + 1);
  }

  private int tiesBefore(int place) {
    int found = Arrays.binarySearch(ties, 0, tieCount, place);
    return found < 0 ? -found - 1 : found;
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

  /** Begins a stretch of the selected writes; returns whether each replaces a number. */
  boolean beginStretch(int nodeCount) {
    return isOfType() && column.beginStretch(nodeCount, nodes, numbers, from, to);
  }

  /** Whether the numbers are still those of the column's type, which may be another one then. */
  private boolean isOfType() {
    return size == 0 || type == column.packedType();
  }

  /** Whether each of the selected writes replaces a number. */
  boolean replaceNumbers(int nodeCount) {
    return isOfType() && column.replacesNumbers(nodeCount, nodes, from, to);
  }

  /** Begins a stretch of the selected writes, at each of which the values are examined. */
  void beginSeries(Stretch stretch, int first) {
    column.beginSeries(stretch, nodes, numbers, from, to, places, first);
  }

  void endStretch() {
    column.endStretch();
  }

  /** Applies the selected writes, which were examined last. */
  void apply() {
    column.replaceNumbers(nodes, numbers, stamps, from, to);
  }

  /**
   * Applies the selected writes one by one and keeps what they replace; returns false, and applies
   * none, if one does not replace a number.
   */
  boolean applySingly() {
    for (int i = from; i < to; i++) {
      if (!column.isPacked(nodes[i])) {
        return false;
      }
    }
    if (!isOfType()) {
      return false;
    }
    for (int i = from; i < to; i++) {
      goneNumbers[i] = column.number(nodes[i]);
      goneChanges[i] = column.changedAt(nodes[i]);
      column.replaceNumber(nodes[i], numbers[i], stamps[i]);
    }
    return true;
  }

  /** Takes back what {@link #applySingly} did. */
  void takeBack() {
    for (int i = to - 1; i >= from; i--) {
      column.restoreNumber(nodes[i], goneNumbers[i], goneChanges[i]);
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
