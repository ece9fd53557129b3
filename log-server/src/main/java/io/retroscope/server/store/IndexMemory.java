// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.StoreNames;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Runs;
import io.retroscope.server.store.run.StoreConflictException;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of the store's index: of each run, of each block's zone map, and of each name. It is
 * charged to the budget, and what does not fit is refused before it is stored. Used by the writing
 * thread, and before that by the thread that opens the store.
 */
final class IndexMemory implements AutoCloseable {
  /** An estimate for a run with its node: its state, its lane, its recent lifetimes. */
  static final long RUN_BYTES = 3_000;

  /**
   * The part of the budget that one run may need at most, by which the number of runs is limited.
   */
  static final long BUDGET_PER_RUN_BYTES = 8_192;

  /** The number of runs that are accepted with the smallest budget. */
  static final int MIN_RUNS = 1_000;

  /** An estimate for a name that sealed blocks refer to. */
  static final long NAME_BYTES = 250;

  private static final Logger logger = LoggerFactory.getLogger(IndexMemory.class);

  private final MemoryBudget.Charge charge;
  private final int maxRuns;
  private long zoneBytes;
  private long otherBytes;

  /**
   * The memory of one index.
   *
   * @param stores the number of stores that share the budget
   */
  IndexMemory(MemoryBudget memory, int stores) {
    charge = memory.charge();
    long runs = memory.totalBytes() / BUDGET_PER_RUN_BYTES / stores;
    maxRuns = (int) Math.max(MIN_RUNS, Math.min(Integer.MAX_VALUE, runs));
  }

  /** The largest number of runs. */
  int maxRuns() {
    return maxRuns;
  }

  /** Refuses a run above the largest number, which only a run that is new may be. */
  StoreConflictException tooManyRuns(Incarnation.Name name) {
    return StoreConflictException.ofThisServer(
        "node \"%s\" cannot be added: the store knows %,d runs of nodes, the most for the heap of this server; start it with a larger heap, or remove nodes that will not return with FORGET NODE and retention"
            .formatted(name.node(), maxRuns));
  }

  /**
   * Charges the blocks of a change before it is written.
   *
   * @throws StoreException if they can never fit
   * @throws StoreBusyException if they may fit once other requests have ended
   */
  void reserve(Changes changes) {
    long more = 0;
    for (Changes.NewBlock added : changes.blocks()) {
      more += added.zone().memoryBytes();
    }
    long needed = zoneBytes + otherBytes + more;
    if (more == 0 || needed <= charge.bytes() || charge.tryResize(needed)) {
      return;
    }
    if (needed > charge.maxBytes()) {
      throw new StoreException(
          "the index of the stored blocks needs %,d bytes of memory, and may take %,d of this server's heap: start it with a larger heap, or let retention remove events"
              .formatted(needed, charge.maxBytes()));
    }
    throw new StoreBusyException(
        "the server's memory is used up by other requests; try again in a second");
  }

  /** Adds the zone map of a stored block. */
  void added(BlockZone zone) {
    zoneBytes += zone.memoryBytes();
  }

  /** Counts all zone maps again, after some were removed or replaced. */
  void recount(BlockIndex.Snapshot index) {
    zoneBytes = 0;
    for (int i = 0; i < index.size(); i++) {
      added(index.zone(i));
    }
  }

  /** Charges what a change has left in memory. */
  void settle(Runs runs, StoreNames names) {
    otherBytes =
        runs.all().size() * RUN_BYTES
            + (names.nodes().size() + names.variables().size()) * NAME_BYTES;
    boolean unused = charge.tryResize(zoneBytes + otherBytes);
  }

  /** Logs if what a store has in memory from its start does not fit. */
  void checkStart() {
    if (charge.bytes() < zoneBytes + otherBytes) {
      logger.error(
          "the index of the store needs {} bytes of memory, and may take {} of the heap: start the"
              + " server with a larger heap",
          zoneBytes + otherBytes,
          charge.maxBytes());
    }
  }

  @Override
  public void close() {
    charge.close();
  }
}
