// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.EventBlock;
import java.util.List;

/**
 * Consecutive events of a partition: all with stamps from that of the previous piece to {@code
 * lastHlc}. No stamp is in two pieces.
 *
 * @param number counted from 1
 * @param blocks at least one, each of one run and not empty
 */
record Piece(int number, List<EventBlock> blocks) {
  /** Copies the list. */
  Piece {
    blocks = List.copyOf(blocks);
    if (number < 1 || blocks.isEmpty() || blocks.stream().anyMatch(EventBlock::isEmpty)) {
      throw new IllegalArgumentException("piece %d of %d blocks".formatted(number, blocks.size()));
    }
  }

  /** The lowest stamp, packed. */
  long firstHlc() {
    return blocks.stream().mapToLong(EventBlock::firstHlc).min().orElseThrow();
  }

  /** The highest stamp, packed. */
  long lastHlc() {
    return blocks.stream().mapToLong(EventBlock::lastHlc).max().orElseThrow();
  }
}
