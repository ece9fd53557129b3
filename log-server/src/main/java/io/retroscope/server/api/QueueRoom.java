// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * The memory that the queues of all live queries share, which is a part of the budget, because most
 * of that is for senders. A queue may grow while others are empty: rows come many at a time.
 * Thread-safe.
 */
final class QueueRoom {
  /** The fraction of the memory budget that all queues may use together. */
  private static final int SHARE = 8;

  private final MemoryBudget memory;
  private final long maxBytes;
  private final IntSupplier running;
  private final AtomicLong queuedBytes = new AtomicLong();

  /**
   * The room of empty queues.
   *
   * @param memory the budget to which the queues are charged
   * @param maxBytes for one query in any case
   * @param running the present number of queries
   */
  QueueRoom(MemoryBudget memory, long maxBytes, IntSupplier running) {
    this.memory = memory;
    this.maxBytes = maxBytes;
    this.running = running;
  }

  /** A charge for a queue, whose changes are {@linkplain #queued counted}. */
  Charge charge() {
    return memory.charge();
  }

  /**
   * The present bound for a queue: half of the free memory, so that the next one that grows finds
   * room as well, but at least an equal share.
   *
   * @param queries that use the queue
   */
  long bytes(int queries) {
    long all = memory.totalBytes() / SHARE;
    long share = all / Math.max(1, running.getAsInt());
    return Math.min(queries * maxBytes, Math.max((all - queuedBytes.get()) / 2, queries * share));
  }

  /** Counts bytes that were added to a queue, or removed if negative. */
  void queued(long bytes) {
    queuedBytes.addAndGet(bytes);
  }
}
