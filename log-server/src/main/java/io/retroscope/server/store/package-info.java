/**
 * The durable store of events. {@link io.retroscope.server.store.EventStore} is the only way in: it
 * accepts {@link io.retroscope.server.store.Submission}s and opens views of the stored events.
 *
 * <p>Events are kept in the blocks in which they arrive, until {@code Sealer} replaces many of them
 * by a few in the order of stamps. There is no index of single events: a scan reads only the blocks
 * that their summaries cannot rule out. Three packages hold its parts:
 *
 * <ul>
 *   <li>{@code run}: the runs of nodes, and when nodes were heard from
 *   <li>{@code zone}: the summaries of blocks, and the index of blocks that uses them
 *   <li>{@code disk}: the directory, the database, and the tables of both
 * </ul>
 *
 * <p>One thread writes. {@code GroupCommit} collects submissions, {@code StoreWriter} turns each
 * into one atomic {@code Changes}, and one sync makes all of them durable. Only then does {@code
 * StoreState} publish them to readers and complete the acknowledgements. {@code StoreView} is a
 * snapshot of the published state, and needs no lock because blocks are immutable and the indexes
 * are copied on write. A scan is an {@code ArrivalWindow}; {@code StartState} finds the few events
 * that determine the state before a range.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>An acknowledged submission survives a crash of the machine, and is stored exactly once
 *       however often it is sent ({@code Deduplicator}).
 *   <li>Readers see only synced changes. After a failed sync nothing is written any more.
 *   <li>Blocks never change, and ids of removed blocks are not used again.
 *   <li>A frontier never moves back. Up to it, every numbered block of the run is stored or
 *       declared lost.
 *   <li>Damage and retention never change an answer silently: each adds a gap or a warning.
 * </ul>
 *
 * <p>To add a table, start with {@code StoreSchema}, {@code Changes} (writing) and {@code
 * StoreState} (reading it back). To add a kind of submission, start with {@code Submission} and
 * {@code StoreWriter}. To let a scan skip more blocks, start with {@code BlockZone} and {@code
 * ZoneCodec}. Checks of a directory by an operator are in {@code Recovery} and {@code
 * StoreMaintenance}.
 */
@NullMarked
package io.retroscope.server.store;

import org.jspecify.annotations.NullMarked;
