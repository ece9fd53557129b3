package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decoded blocks that were used lately, within a bound. Thread-safe. */
final class BlockCache {
  private final long maxBytes;
  private final Map<Long, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  private record Entry(EventBlock block, long bytes) {}

  /**
   * A cache.
   *
   * @param maxBytes of memory that the blocks take
   */
  BlockCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized @Nullable EventBlock get(long id) {
    Entry entry = entries.get(id);
    return entry == null ? null : entry.block;
  }

  synchronized void put(long id, EventBlock block) {
    Entry entry = new Entry(block, block.memoryBytes());
    Entry old = entries.put(id, entry);
    bytes += entry.bytes - (old == null ? 0 : old.bytes);
    Iterator<Entry> oldest = entries.values().iterator();
    while (bytes > maxBytes && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
  }

  synchronized void removeThrough(long id) {
    Iterator<Map.Entry<Long, Entry>> all = entries.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Long, Entry> each = all.next();
      if (each.getKey() <= id) {
        bytes -= each.getValue().bytes;
        all.remove();
      }
    }
  }

  synchronized long sizeBytes() {
    return bytes;
  }
}
