// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.event.EventBlock;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a window of several blocks as one block, so that a walk reads columns. Used by one
 * thread.
 */
final class WindowBlock {
  private static final int NO_ROW = -1;

  /** The rows per run below which a reader, which finds each run, is faster row by row. */
  private static final int MIN_ROWS_PER_RUN = 8;

  private final BlockSlots slots;

  /* By slot: the first row in the window, the row after the last one, and the columns of these. */
  private int[] starts = {};
  private int[] ends = {};
  private long[][] numbers = {};
  private int[][] runs = {};

  WindowBlock(BlockSlots slots) {
    this.slots = slots;
  }

  /**
   * The rows of a window.
   *
   * @param stamps packed
   * @param slotOf of each row the slot of its block
   * @param rows the index of each row in its block; those of a block ascend
   * @param order the indexes of the window's rows in these arrays
   */
  record Window(long[] stamps, int[] slotOf, int[] rows, int[] order, int size) {}

  /**
   * The block; null unless each row does nothing but set the same variable of the same log to a
   * LONG, or if there are many runs. It may be read as long as the window.
   */
  @Nullable EventBlock block(Window window) {
    findRows(window);
    EventBlock any = slots.block(window.slotOf[0]);
    for (int slot = 0; slot < slots.count(); slot++) {
      if (starts[slot] != NO_ROW && !addColumns(slot, any)) {
        return null;
      }
    }
    return slots.runs().size() > window.size / MIN_ROWS_PER_RUN ? null : block(window, any);
  }

  private void findRows(Window window) {
    int count = slots.count();
    if (starts.length < count) {
      starts = new int[count];
      ends = new int[count];
      numbers = Arrays.copyOf(numbers, count);
      runs = Arrays.copyOf(runs, count);
    }
    Arrays.fill(starts, NO_ROW);
    for (int i = 0; i < window.size; i++) {
      int slot = window.slotOf[i];
      int row = window.rows[i];
      starts[slot] = starts[slot] == NO_ROW ? row : starts[slot];
      ends[slot] = row + 1;
    }
  }

  /** Copies the columns of a block; returns false if its rows do more. */
  private boolean addColumns(int slot, EventBlock any) {
    EventBlock block = slots.block(slot);
    boolean fits =
        block.writesLongsOnly()
            && block.logs().size() == 1
            && block.variables().size() == 1
            && block.logs().equals(any.logs())
            && block.variables().equals(any.variables());
    if (fits) {
      int count = ends[slot] - starts[slot];
      if (numbers[slot] == null || numbers[slot].length < count) {
        numbers[slot] = new long[count];
        runs[slot] = new int[count];
      }
      block.copyBits(starts[slot], count, numbers[slot], 0);
      block.copyNodes(starts[slot], count, slots.runIds(slot), runs[slot]);
    }
    return fits;
  }

  private EventBlock block(Window window, EventBlock any) {
    long[] stamps = new long[window.size];
    long[] ownNumbers = new long[window.size];
    int[] ownRuns = new int[window.size];
    for (int i = 0; i < window.size; i++) {
      int at = window.order[i];
      int slot = window.slotOf[at];
      int row = window.rows[at] - starts[slot];
      stamps[i] = window.stamps[at];
      ownNumbers[i] = numbers[slot][row];
      ownRuns[i] = runs[slot][row];
    }
    List<Run> all = slots.runs();
    return OrderedRows.ofSingleChanges(
        stamps,
        ownRuns,
        null,
        List.of(ValueType.LONG),
        ownNumbers,
        row -> blockOf(window, row).physicalMicros(window.rows[window.order[row]]),
        row -> blockOf(window, row).sequence(window.rows[window.order[row]]),
        new OrderedRows.Names(
            all.stream().map(Run::node).toList(),
            all.stream().map(Run::incarnation).toList(),
            any.logs(),
            any.variables(),
            List.of(),
            List.of()));
  }

  private EventBlock blockOf(Window window, int row) {
    return slots.block(window.slotOf[window.order[row]]);
  }
}
