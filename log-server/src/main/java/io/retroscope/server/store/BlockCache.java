// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.merge.EncodedBatch;
import io.retroscope.event.EventBlock;
import io.retroscope.server.memory.MemoryBudget;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** A cache of recently used decoded blocks, bounded in bytes. Thread-safe. */
final class BlockCache implements MemoryBudget.Cache, AutoCloseable {
  private final long maxBytes;
  private final Map<Long, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private final MemoryBudget budget;
  private final MemoryBudget.Charge charge;
  private long bytes;

  private record Entry(EventBlock block, long bytes) {}

  /**
   * A cache.
   *
   * @param maxBytes the largest amount of memory for the blocks
   * @param budget the budget to which the memory is charged
   */
  BlockCache(long maxBytes, MemoryBudget budget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.charge = budget.charge();
    budget.add(this);
  }

  synchronized @Nullable EventBlock get(long id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.block;
  }

  /** Adds those of some blocks that the cache has. */
  synchronized void addTo(long[] ids, EncodedBatch to) {
    for (int i = 0; i < ids.length && !entries.isEmpty(); i++) {
      Entry entry = entries.get(ids[i]);
      if (entry != null) {
        to.add(i, entry.block);
      }
    }
  }

  synchronized void put(long id, EventBlock block) {
    Entry entry = new Entry(block, block.memoryBytes());
    Entry old = entries.put(id, entry);
    bytes += entry.bytes - (old == null ? 0 : old.bytes);
    Iterator<Entry> oldest = entries.values().iterator();
    while ((bytes > maxBytes || !charge.tryResizeAsCache(bytes)) && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
  }

  @Override
  public synchronized void free(long wanted) {
    long goal = Math.max(0, bytes - wanted);
    Iterator<Entry> oldest = entries.values().iterator();
    while (bytes > goal && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
    boolean unused = charge.tryResizeAsCache(bytes);
  }

  synchronized void removeIf(LongPredicate test) {
    Iterator<Map.Entry<Long, Entry>> all = entries.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Long, Entry> each = all.next();
      if (test.test(each.getKey())) {
        bytes -= each.getValue().bytes;
        all.remove();
      }
    }
    boolean unused = charge.tryResizeAsCache(bytes);
  }

  synchronized long sizeBytes() {
    return bytes;
  }

  @Override
  public synchronized void close() {
    budget.remove(this);
    entries.clear();
    bytes = 0;
    charge.close();
  }
}
