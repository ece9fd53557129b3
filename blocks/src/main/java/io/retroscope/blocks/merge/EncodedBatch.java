// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.event.EventBlock;
import io.retroscope.event.LongBlockReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some blocks: their frames, one after the other in one array, or the decoded blocks. Used by one
 * thread.
 */
public final class EncodedBatch {
  /** The largest sum of the frames' lengths. */
  public static final int MAX_BYTES = 4 << 20;

  private static final int FIRST_BYTES_PER_BLOCK = 160;

  private final @Nullable EventBlock[] blocks;
  private final int[] starts;

  /** Where the frame of each block ends; 0 if it is missing. */
  private final int[] ends;

  private byte[] bytes;
  private int size;

  /** Room for a number of blocks. */
  EncodedBatch(int count) {
    blocks = new EventBlock[count];
    starts = new int[count];
    ends = new int[count];
    bytes = new byte[Math.min(MAX_BYTES, count * FIRST_BYTES_PER_BLOCK) + LongBlockReader.PADDING];
  }

  /** Adds a decoded block, whose frame is not needed then. */
  public void add(int index, EventBlock block) {
    blocks[index] = block;
  }

  /** The decoded block with an index; null if there is none. */
  public @Nullable EventBlock block(int index) {
    return blocks[index];
  }

  /** The array, into which the next frame may be written at {@link #position}. */
  public byte[] array() {
    return bytes;
  }

  /** Where the next frame begins. */
  public int position() {
    return size;
  }

  /** The number of bytes from the position on that a frame may have. */
  public int room() {
    return bytes.length - LongBlockReader.PADDING - size;
  }

  /** Makes room for a frame; returns false if it would be too much. */
  public boolean reserve(int length) {
    if (length > MAX_BYTES - size) {
      return false;
    }
    if (length > room()) {
      int more = Math.min(MAX_BYTES, 2 * (size + length));
      bytes = Arrays.copyOf(bytes, more + LongBlockReader.PADDING);
    }
    return true;
  }

  /**
   * Ends a frame that was written at the position.
   *
   * @param index of its block
   */
  public void end(int index, int length) {
    starts[index] = size;
    size += length;
    ends[index] = size;
  }

  int start(int index) {
    return starts[index];
  }

  /** Where a frame ends; 0 if it is missing. */
  int end(int index) {
    return ends[index];
  }
}
