package io.retroscope.server.lines;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Holds items back until all that come before them can be there, but neither for ever nor without
 * end. Not thread-safe.
 */
final class HoldingQueue<T> {
  private final int maxCount;
  private final PriorityQueue<Held<T>> items;
  private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
  private long overdueKey = Long.MIN_VALUE;

  /**
   * An item.
   *
   * @param key its place
   * @param arrivedNanos when it came
   */
  record Held<T>(T item, long key, long arrivedNanos) {}

  private record Arrival(long key, long nanos) {}

  /**
   * An empty queue.
   *
   * @param maxCount with more than this the first go, ready or not
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
   * Takes the first item if it is ready.
   *
   * @param horizon items with this key and below are ready
   * @param patienceNanos what came before this moment has waited long enough, and so has all that
   *     goes before it
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
