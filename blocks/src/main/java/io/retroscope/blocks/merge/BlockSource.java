// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.EventBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block that can be read. Used by one thread. */
public interface BlockSource {
  /** Packed stamp that no row of the block is below. */
  long firstHlc();

  /** Packed stamp that no row of the block is above. */
  long lastHlc();

  /**
   * Reads the block. Called when the first stamp is due; a merge may rarely call it again. The
   * block may be read until it is {@linkplain #release released}.
   *
   * @return null if no row of the block matters
   */
  @Nullable EventBlock read();

  /** Receives a block that {@link #read} returned and that is not read any more. */
  default void release(EventBlock block) {}

  /**
   * What all rows of the block do to a state; null if that is not known without reading it. The
   * rows must be those of {@link #read}, except that this may leave out variables.
   */
  default @Nullable LongZone longZone() {
    return null;
  }

  /**
   * Whether the block is one of many that hardly overlap, so that others should be merged with it
   * only where they do overlap.
   */
  default boolean isSealed() {
    return false;
  }

  /**
   * A number that is higher for blocks that arrived later.
   *
   * @param place the block's place among those of a merge, which are in that order; of one that
   *     {@linkplain #following follows} another, a higher place than that of the other one
   */
  default long arrival(int place) {
    return place;
  }

  /**
   * Returns, once after each new block that {@link #read} returned, further blocks that a merge
   * must read by themselves, such as those that were not known before. None of their rows precedes
   * all of this block's range, unless it precedes the range of the merge. They are in the order of
   * their arrival, after this block.
   */
  default List<BlockSource> following() {
    return List.of();
  }

  /** A block in memory. */
  static BlockSource of(EventBlock block) {
    return new BlockSource() {
      @Override
      public long firstHlc() {
        return block.firstHlc();
      }

      @Override
      public long lastHlc() {
        return block.lastHlc();
      }

      @Override
      public @Nullable EventBlock read() {
        return block.isEmpty() ? null : block;
      }
    };
  }
}
