// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A queue that holds items back until all earlier items have arrived, limited in time and in
 * number. Not thread-safe.
 */
final class HoldingQueue<T> {
  private final int maxCount;
  private final PriorityQueue<Held<T>> items;
  private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
  private long overdueKey = Long.MIN_VALUE;

  /**
   * An item.
   *
   * @param key its position
   * @param arrivedNanos when it arrived
   */
  record Held<T>(T item, long key, long arrivedNanos) {}

  private record Arrival(long key, long nanos) {}

  /**
   * An empty queue.
   *
   * @param maxCount the number of items above which the first is released, ready or not
   * @param ties orders items of the same key
   */
  HoldingQueue(int maxCount, Comparator<T> ties) {
    this.maxCount = maxCount;
    this.items =
        new PriorityQueue<>(
            Comparator.<Held<T>>comparingLong(Held::key).thenComparing(Held::item, ties));
  }

  void add(T item, long key, long nowNanos) {
    items.add(new Held<>(item, key, nowNanos));
    arrivals.add(new Arrival(key, nowNanos));
    if (arrivals.size() > maxCount) {
      overdueKey = Math.max(overdueKey, arrivals.remove().key());
    }
  }

  /**
   * Removes the first item if it is ready.
   *
   * @param horizon items with this key and below are ready
   * @param patienceNanos an item that arrived before this moment is released, with all items before
   *     it
   */
  Optional<Held<T>> poll(long horizon, long patienceNanos) {
    while (!arrivals.isEmpty() && arrivals.peek().nanos() - patienceNanos <= 0) {
      overdueKey = Math.max(overdueKey, arrivals.remove().key());
    }
    Held<T> first = items.peek();
    boolean ready =
        first != null && (first.key() <= Math.max(horizon, overdueKey) || items.size() > maxCount);
    return ready ? Optional.ofNullable(items.poll()) : Optional.empty();
  }

  int size() {
    return items.size();
  }
}
