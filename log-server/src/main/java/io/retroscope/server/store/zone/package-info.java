/**
 * Summaries of stored blocks, and the index by which a scan finds the blocks it needs.
 *
 * <p>A {@link io.retroscope.server.store.zone.BlockZone} shows which nodes, logs, variables and
 * stamps a block contains, and {@link io.retroscope.server.store.zone.BlockIndex} finds the blocks
 * of a range by them. They are kept in memory in a compact form ({@code SealedParts}), and can
 * always be made again from the blocks.
 */
@NullMarked
package io.retroscope.server.store.zone;

import org.jspecify.annotations.NullMarked;
