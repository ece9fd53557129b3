// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.memory;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cache of recently used values, bounded in bytes, of which the budget evicts the oldest under
 * pressure. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public class LruCache<K, V> implements MemoryBudget.Cache, AutoCloseable {
  private final long maxBytes;
  private final ToLongFunction<V> weight;
  private final Map<K, Entry<V>> entries = new LinkedHashMap<>(64, 0.75f, true);
  private final MemoryBudget budget;
  private final MemoryBudget.Charge charge;
  private long bytes;
  private boolean closed;

  private record Entry<V>(V value, long bytes) {}

  /**
   * A cache.
   *
   * @param maxBytes the largest amount of memory for the values
   * @param weight the bytes of memory of a value
   * @param budget the budget to which the memory is charged
   */
  // The budget calls final methods, which use no part of a subclass.
  @SuppressWarnings("this-escape")
  public LruCache(long maxBytes, ToLongFunction<V> weight, MemoryBudget budget) {
    this.maxBytes = maxBytes;
    this.weight = weight;
    this.budget = budget;
    this.charge = budget.charge();
    budget.add(this);
  }

  /** Returns the value of a key; null if it is not in the cache. */
  public final synchronized @Nullable V get(K key) {
    Entry<V> entry = entries.get(key);
    return entry == null ? null : entry.value;
  }

  /** Adds a value, or replaces that of the key; one above the bound is not kept. */
  public final synchronized void put(K key, V value) {
    if (closed) {
      return;
    }
    Entry<V> old = entries.remove(key);
    bytes -= old == null ? 0 : old.bytes;
    Entry<V> entry = new Entry<>(value, weight.applyAsLong(value));
    if (entry.bytes <= maxBytes) {
      entries.put(key, entry);
      bytes += entry.bytes;
    }
    Iterator<Entry<V>> oldest = entries.values().iterator();
    while ((bytes > maxBytes || !charge.tryResizeAsCache(bytes)) && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
  }

  @Override
  public final synchronized void free(long wanted) {
    long goal = Math.max(0, bytes - wanted);
    Iterator<Entry<V>> oldest = entries.values().iterator();
    while (bytes > goal && oldest.hasNext()) {
      bytes -= oldest.next().bytes;
      oldest.remove();
    }
    boolean unused = charge.tryResizeAsCache(bytes);
  }

  /** Removes the values of the keys for which a test holds. */
  public final synchronized void removeIf(Predicate<K> test) {
    Iterator<Map.Entry<K, Entry<V>>> all = entries.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<K, Entry<V>> each = all.next();
      if (test.test(each.getKey())) {
        bytes -= each.getValue().bytes;
        all.remove();
      }
    }
    boolean unused = charge.tryResizeAsCache(bytes);
  }

  /** The bytes of all values. */
  public final synchronized long sizeBytes() {
    return bytes;
  }

  /** Removes all values and releases their memory; nothing is kept from then on. */
  @Override
  public final synchronized void close() {
    closed = true;
    budget.remove(this);
    entries.clear();
    bytes = 0;
    charge.close();
  }
}
