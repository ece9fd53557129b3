// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

/**
 * Blocks that a store holds as they arrived, so that many can be decoded at once; in the order of
 * their arrival. Used by one thread.
 */
public interface EncodedBlocks {
  /** The number of blocks. */
  int count();

  /** Packed stamp that no row of a block is below. */
  long firstHlc(int index);

  /** Packed stamp that no row of a block is above. */
  long lastHlc(int index);

  /** The number of rows of a block, at least 1. */
  int rowCount(int index);

  /** Whether any row of a block matters; called when its first stamp is about to be due. */
  boolean matters(int index);

  /** The {@link BlockSource#arrival} of a block. */
  long arrival(int index);

  /** A block to be read by itself. */
  BlockSource source(int index);

  /**
   * Reads blocks, each as one frame, or as it is if it is decoded already. What cannot be read, or
   * does not fit into the result, is missing in it.
   *
   * @param indexes ascending
   */
  void read(int[] indexes, EncodedBatch to);
}
