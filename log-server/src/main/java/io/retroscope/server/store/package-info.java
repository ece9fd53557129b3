/**
 * The durable store of events. {@link io.retroscope.server.store.EventStore} is the only way in: it
 * accepts {@link io.retroscope.server.store.Submission}s and opens views of the stored events.
 *
 * <p>Events are kept in the blocks in which they arrive. {@code StoreSchema} defines the tables of
 * the RocksDB database: the blocks, a zone map per block, the checksums of numbered blocks, the
 * state of each run of a node ({@link io.retroscope.server.store.Incarnation}), and the times at
 * which nodes were heard from ({@code Lifetimes}). There is no index of single events: a zone map
 * ({@code BlockZone}) shows which nodes, logs, variables and stamps a block contains, and a scan
 * reads only the blocks that its zone maps cannot rule out.
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
