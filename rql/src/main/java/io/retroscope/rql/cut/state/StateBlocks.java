// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.event.EventBlock;
import java.util.List;
import java.util.function.Predicate;

/**
 * The known parts of blocks that are not read, for {@link StartState}. Used by one thread.
 *
 * @param <B> the type of blocks that are not read
 */
public interface StateBlocks<B> {
  /** The packed stamp of the first row. */
  long firstHlc(B block);

  /** The packed stamp of the last row. */
  long lastHlc(B block);

  /** A number that no other block has; of equal stamps, those of the lower number are first. */
  long number(B block);

  /**
   * Whether there may be a start or a stop, before a stamp, of a node that satisfies a test.
   *
   * @param before packed
   */
  boolean mayHoldLives(B block, long before, Predicate<String> node);

  /**
   * Whether a part of the block that begins before a stamp satisfies a test.
   *
   * @param before packed
   */
  boolean mayHoldWrites(B block, long before, Writes test);

  /** Reads the block. */
  EventBlock read(B block);

  /** The block for a merge. */
  BlockSource source(B block);

  /** A test of a part of a block. */
  @FunctionalInterface
  interface Writes {
    /**
     * Whether writes matter.
     *
     * @param variables that state changes of the log write in this part
     * @param lastHlc packed, the stamp that none of them is above
     * @param nodes that may have written them
     */
    boolean matter(String log, List<String> variables, long lastHlc, Nodes nodes);
  }

  /** The nodes of a part of a block. */
  @FunctionalInterface
  interface Nodes {
    /** Whether a node satisfies a test. */
    boolean any(Predicate<String> test);
  }
}
