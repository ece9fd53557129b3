/**
 * The history of a log in blocks that are sealed in the order of stamps.
 *
 * <p>Blocks arrive from nodes in any order. {@link io.retroscope.blocks.ArrivalWindow} merges them,
 * {@link io.retroscope.blocks.Sealing} turns the merged events into {@link
 * io.retroscope.blocks.SealedBlock}s, and each has a {@link io.retroscope.blocks.SealedZone}, which
 * may answer a question without the block.
 */
@NullMarked
package io.retroscope.blocks;

import org.jspecify.annotations.NullMarked;
