// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.cut.Interest;

/** A block of a piece, which may not be decoded yet. Immutable. */
sealed interface PieceBlock {
  /**
   * The rows that matter to a walk; others may be missing.
   *
   * @throws CorruptBlockException if the block cannot be decoded
   */
  EventBlock rows(Interest interest) throws CorruptBlockException;

  /** A decoded block. */
  record Decoded(EventBlock block) implements PieceBlock {
    @Override
    public EventBlock rows(Interest interest) {
      return block;
    }
  }

  /** A block as a frame. */
  record Frame(byte[] bytes) implements PieceBlock {
    @Override
    public EventBlock rows(Interest interest) throws CorruptBlockException {
      return EventBlockCodec.decodeBlock(bytes);
    }
  }

  /**
   * A sealed block.
   *
   * @param names those to which it refers, and maybe others
   */
  record Sealed(byte[] bytes, StoreNames names) implements PieceBlock {
    @Override
    public EventBlock rows(Interest interest) throws CorruptBlockException {
      SealedBlock block = SealedBlockReader.open(bytes, names);
      return block.rows(variable -> interest.follows(block.log(), variable));
    }
  }
}
