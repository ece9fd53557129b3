/**
 * The merge of blocks into rows in the order of stamps.
 *
 * <p>{@link io.retroscope.blocks.merge.ArrivalWindow} is the scan that queries and sealing read:
 * windows of rows, each row with its block. The {@code Lane}s of blocks whose ranges of stamps
 * overlap are merged, and blocks that overlap no other are handed over whole, so that a reader can
 * copy their columns. Small blocks of many nodes are joined first ({@link
 * io.retroscope.blocks.merge.JoinedBlocks}), which decodes and sorts them together.
 *
 * <p>Rows of equal stamps are in the order of their nodes' runs ({@code TieOrder}), whatever the
 * blocks are, so that all scans of a history are alike.
 */
@NullMarked
package io.retroscope.blocks.merge;

import org.jspecify.annotations.NullMarked;
