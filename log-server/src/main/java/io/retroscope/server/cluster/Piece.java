// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.List;

/**
 * Consecutive events of a partition: all with stamps from {@code firstHlc} to {@code lastHlc} that
 * the scan selects. No stamp is in two pieces.
 *
 * @param number counted from 1
 * @param firstHlc packed, above the {@code lastHlc} of the previous piece
 * @param blocks at least one, in the order of their arrival; any may have no rows
 */
record Piece(int number, long firstHlc, long lastHlc, List<PieceBlock> blocks) {
  /** Copies the list. */
  Piece {
    blocks = List.copyOf(blocks);
    if (number < 1 || blocks.isEmpty() || firstHlc > lastHlc) {
      throw new IllegalArgumentException("piece %d of %d blocks".formatted(number, blocks.size()));
    }
  }

  /** The same piece with another number. */
  Piece numbered(int other) {
    return new Piece(other, firstHlc, lastHlc, blocks);
  }
}
