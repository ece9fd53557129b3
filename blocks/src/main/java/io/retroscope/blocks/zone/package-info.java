// SPDX-License-Identifier: Apache-2.0
/**
 * Summaries of blocks that may answer a question in place of the block.
 *
 * <p>A {@link io.retroscope.blocks.zone.SealedSummary} says which nodes, variables and kinds of
 * rows a block holds, and so which blocks a scan can leave out. A {@link
 * io.retroscope.blocks.zone.LongZone} bounds the LONGs that a block writes, and the spread between
 * nodes, so that a walk passes over a block at whose cuts nothing can happen. A summary may always
 * say less than the block, never anything else.
 */
@NullMarked
package io.retroscope.blocks.zone;

import org.jspecify.annotations.NullMarked;
