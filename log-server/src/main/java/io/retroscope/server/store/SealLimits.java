package io.retroscope.server.store;

import io.retroscope.blocks.SealedBlockCodec;
import io.retroscope.blocks.Sealing;

/**
 * The sizes in which blocks are sealed.
 *
 * @param rows of a sealed block
 * @param batchRows the number of rows that are sealed together, and from which on a batch begins
 * @param batchBlocks the number of blocks from which on a batch begins, however few rows they have
 */
public record SealLimits(int rows, int batchRows, int batchBlocks) {
  /** The sizes that the server uses. */
  public static final SealLimits DEFAULT = new SealLimits(Sealing.ROWS, 8 * Sealing.ROWS, 4_096);

  /** Checks the ranges. */
  public SealLimits {
    if (rows < 1 || rows > SealedBlockCodec.MAX_ROWS || batchRows < 1 || batchBlocks < 1) {
      throw new IllegalArgumentException(
          "rows=%d batchRows=%d batchBlocks=%d".formatted(rows, batchRows, batchBlocks));
    }
  }
}
