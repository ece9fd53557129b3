// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import io.retroscope.event.EventBlock;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a window of several blocks as one block, so that a walk reads columns. Used by one
 * thread.
 */
final class WindowBlock {
  /** The rows per run, or per piece of a block, below which a reader is faster row by row. */
  private static final int MIN_ROWS = 8;

  private final BlockSlots slots;

  /* The columns of the rows, as they are in the window's arrays. */
  private long[] numbers = {};
  private int[] runs = {};

  /* The columns of the block: each uses them again, so that they stay in the processor's cache. */
  private long[] ownStamps = {};
  private long[] ownNumbers = {};
  private int[] ownRuns = {};

  WindowBlock(BlockSlots slots) {
    this.slots = slots;
  }

  /**
   * The rows of a window.
   *
   * @param stamps packed
   * @param slotOf of each row the slot of its block
   * @param rows the index of each row in its block
   * @param order the indexes of the window's rows in these arrays
   */
  record Window(long[] stamps, int[] slotOf, int[] rows, int[] order, int size) {
    /** The row after the last one that follows another one in its block. */
    int endOfPiece(int from) {
      int end = from + 1;
      while (end < size && slotOf[end] == slotOf[from] && rows[end] == rows[end - 1] + 1) {
        end++;
      }
      return end;
    }
  }

  /**
   * The block; null unless each row does nothing but set the same variable of the same log to a
   * LONG, or if there are many runs. It may be read as long as the window.
   */
  @Nullable EventBlock block(Window window) {
    ensureRoom(window.size);
    EventBlock any = slots.block(window.slotOf[0]);
    int most = window.size / MIN_ROWS;
    int pieces = 0;
    for (int from = 0; from < window.size; ) {
      int end = window.endOfPiece(from);
      if (++pieces > most || !addColumns(window, from, end - from, any)) {
        return null;
      }
      from = end;
    }
    return slots.runs().size() > most ? null : block(window, any);
  }

  private void ensureRoom(int size) {
    if (numbers.length < size) {
      int capacity = Math.max(size, 2 * numbers.length);
      numbers = new long[capacity];
      runs = new int[capacity];
      ownStamps = new long[capacity];
      ownNumbers = new long[capacity];
      ownRuns = new int[capacity];
    }
  }

  /** Copies the columns of rows of a block; returns false if they do more. */
  private boolean addColumns(Window window, int at, int count, EventBlock any) {
    int slot = window.slotOf[at];
    EventBlock block = slots.block(slot);
    boolean fits =
        block.writesLongsOnly()
            && block.logs().size() == 1
            && block.variables().size() == 1
            && block.logs().equals(any.logs())
            && block.variables().equals(any.variables());
    if (fits) {
      block.copyBits(window.rows[at], count, numbers, at);
      block.copyNodes(window.rows[at], count, slots.runIds(slot), runs, at);
    }
    return fits;
  }

  private EventBlock block(Window window, EventBlock any) {
    for (int i = 0; i < window.size; i++) {
      int at = window.order[i];
      ownStamps[i] = window.stamps[at];
      ownNumbers[i] = numbers[at];
      ownRuns[i] = runs[at];
    }
    List<Run> all = slots.runs();
    return OrderedRows.ofSingleChanges(
        new OrderedRows.Writes(window.size, ownStamps, ownRuns, null, ownNumbers),
        List.of(ValueType.LONG),
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
