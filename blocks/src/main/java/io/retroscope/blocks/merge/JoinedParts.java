// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of joined rows. A row's <em>origin</em> is the index of its block here and, in the
 * lower bits, its index in the block. Filled by one thread; thread-safe afterwards.
 */
final class JoinedParts {
  /** The largest number of blocks, and of rows of one. */
  private static final int MAX = 1 << 16;

  private static final int ROW_BITS = 16;
  private static final int ROW_MASK = MAX - 1;

  private int count;
  private final byte[][] frames;
  private final int[] starts;
  private final @Nullable EventBlock[] blocks;
  private final int[] runs;
  private final int[] variables;
  private final long[] numbers;

  /** Room for a number of blocks. */
  JoinedParts(int capacity) {
    if (capacity > MAX) {
      throw new IllegalArgumentException(capacity + " blocks");
    }
    frames = new byte[capacity][];
    starts = new int[capacity];
    blocks = new EventBlock[capacity];
    runs = new int[capacity];
    variables = new int[capacity];
    numbers = new long[capacity];
  }

  /**
   * The blocks of rows among others, and room for further ones. The rows' origins change.
   *
   * @param further the number of further blocks
   */
  static JoinedParts of(JoinedParts from, List<RunRows> rows, int further) {
    int[] moved = new int[from.count];
    int kept = 0;
    for (RunRows each : rows) {
      for (int i = 0; i < each.size(); i++) {
        int part = each.origins()[i] >>> ROW_BITS;
        if (moved[part] == 0) {
          moved[part] = ++kept;
        }
        each.origins()[i] = (moved[part] - 1) << ROW_BITS | (each.origins()[i] & ROW_MASK);
      }
    }
    JoinedParts parts = new JoinedParts(kept + further);
    parts.count = kept;
    for (int part = 0; part < moved.length; part++) {
      if (moved[part] > 0) {
        parts.set(moved[part] - 1, from, part);
      }
    }
    return parts;
  }

  private void set(int to, JoinedParts from, int index) {
    frames[to] = from.frames[index];
    starts[to] = from.starts[index];
    blocks[to] = from.blocks[index];
    runs[to] = from.runs[index];
    variables[to] = from.variables[index];
    numbers[to] = from.numbers[index];
  }

  /** Adds a block by its frame, which was checked; returns the origin of its first row. */
  int add(byte[] bytes, int start, int run, int variable, long number) {
    frames[count] = bytes;
    starts[count] = start;
    return add(run, variable, number);
  }

  /** Adds a block; returns the origin of its first row. */
  int add(EventBlock block, int run, int variable, long number) {
    blocks[count] = block;
    return add(run, variable, number);
  }

  private int add(int run, int variable, long number) {
    runs[count] = run;
    variables[count] = variable;
    numbers[count] = number;
    return count++ << ROW_BITS;
  }

  /** The {@link BlockSource#arrival} of a row's block. */
  long number(int origin) {
    return numbers[origin >>> ROW_BITS];
  }

  /** Compares rows with equal stamps. */
  int compareTied(int a, int b, int[] ranks) {
    int byRun = Integer.compare(ranks[runs[a >>> ROW_BITS]], ranks[runs[b >>> ROW_BITS]]);
    int byBlock = byRun != 0 ? byRun : Long.compare(number(a), number(b));
    return byBlock != 0 ? byBlock : Integer.compare(a & ROW_MASK, b & ROW_MASK);
  }

  /** The variable of each row as an index in a selection. */
  int[] variables(int[] origins, JoinedRows.Selection selection) {
    int[] selected = new int[origins.length];
    selection.select(variables, origins, ROW_BITS, selected);
    return selected;
  }

  /** The physical reading of a row. */
  long physicalMicros(int origin) {
    return block(origin >>> ROW_BITS).physicalMicros(origin & ROW_MASK);
  }

  /** The sequence number of a row. */
  long sequence(int origin) {
    return block(origin >>> ROW_BITS).sequence(origin & ROW_MASK);
  }

  /** The block with an index; several threads may decode it, and find the same. */
  private EventBlock block(int index) {
    EventBlock known = blocks[index];
    if (known == null) {
      try {
        known = EventBlockCodec.decodeBlockAt(frames[index], starts[index]);
      } catch (CorruptBlockException e) {
        throw new IllegalStateException("a block that was decoded before", e);
      }
      blocks[index] = known;
    }
    return known;
  }
}
