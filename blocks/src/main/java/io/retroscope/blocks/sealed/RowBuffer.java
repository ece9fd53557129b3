// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.Arrival;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.read.Section;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rows of one log that are about to become a sealed block. Used by one thread. */
final class RowBuffer {
  private static final EventMark[] MARKS = EventMark.values();

  private int generation;
  private int size;
  private int changeCount;

  long[] hlc = new long[1_024];
  long[] physical = new long[1_024];
  long[] sequence = new long[1_024];
  byte[] kind = new byte[1_024];
  byte[] marks = new byte[1_024];
  int[] run = new int[1_024];
  int[] changeStart = new int[1_025];

  byte[] operation = new byte[1_024];
  byte[] type = new byte[1_024];

  /** The id of a variable, the index of a field's name in the texts, or {@code NO_NAME}. */
  int[] name = new int[1_024];

  long[] bits = new long[1_024];

  private final Map<Run, Integer> runIndexes = new HashMap<>();
  private final List<Run> runs = new ArrayList<>();
  private final List<Integer> runNodes = new ArrayList<>();
  private final TextTable texts = new TextTable();
  private final List<Value> nested = new ArrayList<>();
  private long textLength;
  private boolean longsOnly;

  int size() {
    return size;
  }

  int changeCount() {
    return changeCount;
  }

  /** The number of characters of texts, as a measure of the block's size. */
  long textLength() {
    return textLength;
  }

  List<Run> runs() {
    return runs;
  }

  int nodeIdOfRun(int index) {
    return runNodes.get(index);
  }

  /** The number of different texts. */
  int textCount() {
    return texts.size();
  }

  String text(long index) {
    return texts.get((int) index);
  }

  Value nested(long index) {
    return nested.get((int) index);
  }

  EventKind kind(int row) {
    return EventKind.ofCode(kind[row] & ~Section.OF_NODE);
  }

  /** Whether each row is an unmarked state change that sets one variable to a LONG. */
  boolean holdsLongsOnly() {
    return longsOnly;
  }

  void clear() {
    generation++;
    longsOnly = false;
    size = 0;
    changeCount = 0;
    textLength = 0;
    runIndexes.clear();
    runs.clear();
    runNodes.clear();
    texts.clear();
    nested.clear();
  }

  /**
   * Adds a row; the caller adds them in order.
   *
   * @throws IllegalArgumentException if its log is neither the given one nor empty
   */
  void add(Arrival from, int row) {
    EventBlock block = from.block();
    ensureRows();
    longsOnly = false;
    hlc[size] = block.hlc(row);
    physical[size] = block.physicalMicros(row);
    sequence[size] = block.sequence(row);
    kind[size] = (byte) (block.kind(row).code() | (from.isOfLog(row) ? 0 : ofNode(block, row)));
    marks[size] = marks(block, row);
    run[size] = runIndex(from, row);
    boolean isState = block.kind(row) == EventKind.STATE_CHANGE;
    for (int change = block.firstChange(row); change < block.endChange(row); change++) {
      addChange(from, change, isState);
    }
    size++;
    changeStart[size] = changeCount;
  }

  /**
   * Begins with a number of rows that each set one variable to a LONG. The caller sets all of their
   * stamps, readings, sequence numbers, runs, names and bits.
   *
   * @throws IllegalStateException if there are rows already
   */
  void beginLongs(int count) {
    if (size > 0) {
      throw new IllegalStateException("a buffer that has " + size + " rows already");
    }
    while (hlc.length < count) {
      growRows();
    }
    while (bits.length < count) {
      growChanges();
    }
    Arrays.fill(kind, 0, count, EventKind.STATE_CHANGE.code());
    Arrays.fill(marks, 0, count, (byte) 0);
    Arrays.fill(operation, 0, count, (byte) Operation.SET.code());
    Arrays.fill(type, 0, count, ValueType.LONG.code());
    for (int row = 0; row <= count; row++) {
      changeStart[row] = row;
    }
    size = count;
    changeCount = count;
    longsOnly = true;
  }

  /** Adds a run that has no index yet, and returns its index. */
  int addRun(Run added, int nodeId) {
    runIndexes.put(added, runs.size());
    runs.add(added);
    runNodes.add(nodeId);
    return runs.size() - 1;
  }

  /**
   * Puts the runs into the order of their nodes' ids and incarnations, which is that of all blocks:
   * a reader finds a block's nodes where it found those of the block before. No row may follow.
   */
  void sortRuns() {
    List<Integer> order = new ArrayList<>();
    for (int index = 0; index < runs.size(); index++) {
      order.add(index);
    }
    order.sort(
        Comparator.<Integer>comparingInt(runNodes::get)
            .thenComparing(index -> runs.get(index).incarnation()));
    int[] places = new int[order.size()];
    for (int place = 0; place < places.length; place++) {
      places[order.get(place)] = place;
    }
    reorder(runs, order);
    reorder(runNodes, order);
    for (int row = 0; row < size; row++) {
      run[row] = places[run[row]];
    }
  }

  private static <T> void reorder(List<T> list, List<Integer> order) {
    List<T> old = List.copyOf(list);
    list.clear();
    order.forEach(index -> list.add(old.get(index)));
  }

  private static int ofNode(EventBlock block, int row) {
    String log = block.logs().get(block.logIndex(row));
    if (!log.isEmpty()) {
      throw new IllegalArgumentException("an event of the log \"" + log + "\" among another's");
    }
    return Section.OF_NODE;
  }

  private static byte marks(EventBlock block, int row) {
    int marks = 0;
    for (EventMark mark : MARKS) {
      marks |= block.isMarked(row, mark) ? mark.bit() : 0;
    }
    return (byte) marks;
  }

  private int runIndex(Arrival from, int row) {
    int known = from.localRun(row, generation);
    if (known >= 0) {
      return known;
    }
    int index = runIndexes.computeIfAbsent(from.run(row), run -> runs.size());
    if (index == runs.size()) {
      runs.add(from.run(row));
      runNodes.add(from.nodeId(row));
    }
    from.setLocalRun(row, index);
    return index;
  }

  private void addChange(Arrival from, int change, boolean isState) {
    EventBlock block = from.block();
    ensureChanges();
    int at = changeCount++;
    ValueType valueType = block.type(change);
    operation[at] = (byte) block.operation(change).code();
    type[at] = valueType.code();
    int index = block.nameIndex(change);
    if (isState) {
      name[at] = from.variableId(change);
    } else {
      name[at] = index == EventBlock.NO_NAME ? index : textIndex(from, from.textOfName(index));
    }
    bits[at] =
        switch (valueType) {
          case NULL -> 0;
          case BOOLEAN, LONG, DOUBLE -> block.bits(change);
          case STRING -> textIndex(from, (int) block.bits(change));
          case NESTED -> nestedIndex(block.value(change));
        };
  }

  /** The index of a text, which is found by its number in the block after the first time. */
  private int textIndex(Arrival from, int number) {
    int known = from.localText(number, generation);
    if (known >= 0) {
      return known;
    }
    int index = textIndex(from.text(number));
    from.setLocalText(number, index);
    return index;
  }

  private int textIndex(String text) {
    int before = texts.size();
    int index = texts.numberOf(text);
    textLength += texts.size() > before ? text.length() : 0;
    return index;
  }

  private long nestedIndex(Value value) {
    nested.add(value);
    textLength += 2L * value.toString().length();
    return nested.size() - 1L;
  }

  private void ensureRows() {
    if (size == hlc.length) {
      growRows();
    }
  }

  private void growRows() {
    int capacity = 2 * hlc.length;
    hlc = Arrays.copyOf(hlc, capacity);
    physical = Arrays.copyOf(physical, capacity);
    sequence = Arrays.copyOf(sequence, capacity);
    kind = Arrays.copyOf(kind, capacity);
    marks = Arrays.copyOf(marks, capacity);
    run = Arrays.copyOf(run, capacity);
    changeStart = Arrays.copyOf(changeStart, capacity + 1);
  }

  private void ensureChanges() {
    if (changeCount == bits.length) {
      growChanges();
    }
  }

  private void growChanges() {
    int capacity = 2 * bits.length;
    operation = Arrays.copyOf(operation, capacity);
    type = Arrays.copyOf(type, capacity);
    name = Arrays.copyOf(name, capacity);
    bits = Arrays.copyOf(bits, capacity);
  }
}
