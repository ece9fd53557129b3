// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The stores of partitions that are open in this process, owned or as copies. Thread-safe. */
final class Partitions {
  private static final long KEEP_SECONDS = 1;

  private final String topicId;
  private final TileTurns tiles;
  private final StoreOpenings openings = new StoreOpenings();
  private final Map<Integer, PartitionStore> open = new ConcurrentHashMap<>();

  /** The inputs that closed stores kept aside; guarded by {@link #open}. */
  private long rejectedBefore;

  private final ThreadPoolExecutor slow =
      new ThreadPoolExecutor(
          0,
          1,
          KEEP_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            Thread thread = new Thread(task, "partition-evidence");
            thread.setDaemon(true);
            return thread;
          });

  Partitions(String topicId, MemoryBudget memory) {
    this.topicId = topicId;
    this.tiles = new TileTurns(memory);
  }

  /** The stores that are being opened or closed. */
  StoreOpenings openings() {
    return openings;
  }

  /** The turns of the tiles that are made here. */
  TileTurns tiles() {
    return tiles;
  }

  /** Changes whenever there are news; its monitor is that of the waiting threads. */
  private final AtomicLong changes = new AtomicLong();

  /** Does something about the stores that takes long, one after the other. */
  void later(Runnable task) {
    slow.execute(task);
  }

  void opened(int partition, PartitionStore store) {
    open.put(partition, store);
  }

  /** Those that wait for its news learn at once that it is not here any more. */
  void closed(int partition, PartitionStore store) {
    boolean wasOpen;
    synchronized (open) {
      wasOpen = open.remove(partition, store);
      rejectedBefore += wasOpen ? store.rejectedCount() : 0;
    }
    if (wasOpen) {
      signal();
    }
  }

  /** The number of inputs that stores here have kept aside; it never falls. */
  long rejectedCount() {
    synchronized (open) {
      return rejectedBefore + open.values().stream().mapToLong(PartitionStore::rejectedCount).sum();
    }
  }

  /** The offset after the last stored record of each partition. */
  Map<Integer, Long> offsets() {
    Map<Integer, Long> offsets = new TreeMap<>();
    open.forEach((partition, store) -> offsets.put(partition, store.next()));
    return offsets;
  }

  /** The stores, for housekeeping. */
  Map<Integer, PartitionStore> all() {
    return Map.copyOf(open);
  }

  /** Why a partition cannot be opened here, in one sentence. */
  String absence(Opening opening) {
    PartitionStore store = open.get(opening.partition());
    Optional<String> trouble = store == null ? Optional.empty() : store.trouble();
    return trouble.orElseGet(
        () ->
            "partition %d is not here, or has not reached offset %d"
                .formatted(opening.partition(), opening.offset()));
  }

  /** Wakes the threads that wait for news. */
  void signal() {
    synchronized (changes) {
      changes.incrementAndGet();
      changes.notifyAll();
    }
  }

  /** Waits for news of partitions here, or until one of them is not here. */
  NewsAnswer await(NewsRequest request, MonotonicClock clock) throws InterruptedException {
    return await(() -> news(request), NewsAnswer::isEmpty, request.waitMillis(), clock);
  }

  /** Waits until a partition here has reached an offset, is not here any more, or too long. */
  void await(Opening opening, MonotonicClock clock) throws InterruptedException {
    Boolean unused = await(() -> isBehind(opening), behind -> behind, opening.waitMillis(), clock);
  }

  private boolean isBehind(Opening opening) {
    PartitionStore store = open.get(opening.partition());
    return store != null && opening.topicId().equals(topicId) && store.next() < opening.offset();
  }

  /** Waits for changes until something is found, or too long. */
  private <T> T await(
      Supplier<T> search, Predicate<T> goesOn, long waitMillis, MonotonicClock clock)
      throws InterruptedException {
    long until = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    while (true) {
      long before = changes.get();
      T found = search.get();
      long left = TimeUnit.NANOSECONDS.toMillis(until - clock.nanos());
      if (!goesOn.test(found) || left <= 0) {
        return found;
      }
      synchronized (changes) {
        if (changes.get() == before) {
          changes.wait(left);
        }
      }
    }
  }

  private NewsAnswer news(NewsRequest request) {
    List<NewsAnswer.News> news = new ArrayList<>();
    List<Integer> absent = new ArrayList<>();
    Map<Integer, String> troubles = new TreeMap<>();
    for (NewsRequest.Known known : request.known()) {
      PartitionStore store = open.get(known.partition());
      Optional<PartitionNews> own = store == null ? Optional.empty() : store.news();
      boolean isHere = own.filter(here -> here.hasReached(known.offset())).isPresent();
      if (!isHere || !request.topicId().equals(topicId)) {
        absent.add(known.partition());
      } else {
        own.flatMap(here -> here.since(known)).ifPresent(news::add);
      }
      Optional.ofNullable(store)
          .flatMap(PartitionStore::trouble)
          .ifPresent(trouble -> troubles.put(known.partition(), trouble));
    }
    return new NewsAnswer(news, absent, troubles);
  }

  /** A partition; empty if it is not here, is damaged, or has not reached an offset. */
  Optional<StoredPart> open(Opening opening) {
    return reached(opening)
        .flatMap(
            store -> {
              try {
                long before = store.next();
                Optional<StoredPart> part = store.part();
                if (store.next() == before) {
                  part.ifPresent(opened -> opened.isAt(before));
                }
                return part;
              } catch (StoreException e) {
                return Optional.empty();
              }
            });
  }

  /** The quarantine of a partition; empty if it is not here, or has not reached an offset. */
  Optional<PartQuarantine> quarantine(Opening opening) {
    return reached(opening).flatMap(PartitionStore::quarantine);
  }

  private Optional<PartitionStore> reached(Opening opening) {
    return Optional.ofNullable(open.get(opening.partition()))
        .filter(store -> opening.topicId().equals(topicId) && store.next() >= opening.offset());
  }
}
