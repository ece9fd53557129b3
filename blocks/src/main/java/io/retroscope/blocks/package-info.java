/**
 * The history of a log in blocks that are sealed in the order of stamps.
 *
 * <p>Nodes send their events in blocks, which arrive in any order ({@link
 * io.retroscope.blocks.Arrival}) and each belong to one {@link io.retroscope.blocks.Run} of a node.
 * Names of nodes and variables have ids, which a store keeps in its {@link
 * io.retroscope.blocks.StoreNames}. The way of an event:
 *
 * <pre>
 *  arrived blocks --merge--&gt; rows in order --sealed--&gt; sealed blocks --read--&gt; rows and columns
 *                                              |
 *                                              +--&gt; zone: may answer without the block
 *                                              +--&gt; timeline: counts per bin of time
 * </pre>
 *
 * <p>{@code merge} reads blocks that arrived and blocks that are sealed alike, as a {@link
 * io.retroscope.blocks.merge.BlockSource}, and so depends on no kind of block. {@code sealed} uses
 * all other packages.
 */
@NullMarked
package io.retroscope.blocks;

import org.jspecify.annotations.NullMarked;
