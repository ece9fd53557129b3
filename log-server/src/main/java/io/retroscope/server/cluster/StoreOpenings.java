// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.store.EventStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opening and closing of the stores of partitions in threads of their own, because either takes
 * long. While the thread of Kafka Streams waited for it, it would read no partition. Each store is
 * closed before it is opened again. Thread-safe.
 */
final class StoreOpenings implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(StoreOpenings.class);

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "partition-store");
            thread.setDaemon(true);
            return thread;
          });

  /** The stores that were not taken yet; guarded by this object, as are the others. */
  private final Map<Integer, CompletableFuture<EventStore>> opening = new HashMap<>();

  private final Map<Integer, CompletableFuture<Void>> closing = new HashMap<>();

  /** Opens the store of a partition, and waits for it. */
  EventStore open(int partition, Supplier<EventStore> store) {
    return take(partition, begin(partition, store));
  }

  /** Begins to open the store of a partition unless that has begun; empty until it is open. */
  Optional<EventStore> openLater(int partition, Supplier<EventStore> store) {
    CompletableFuture<EventStore> begun = begin(partition, store);
    return begun.isDone() ? Optional.of(take(partition, begun)) : Optional.empty();
  }

  private synchronized CompletableFuture<EventStore> begin(
      int partition, Supplier<EventStore> store) {
    CompletableFuture<Void> before =
        closing.getOrDefault(partition, CompletableFuture.completedFuture(null));
    return opening.computeIfAbsent(
        partition, number -> before.thenApplyAsync(closed -> store.get(), threads));
  }

  private EventStore take(int partition, CompletableFuture<EventStore> begun) {
    try {
      return begun.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    } finally {
      forget(partition, begun);
    }
  }

  private synchronized void forget(int partition, CompletableFuture<EventStore> begun) {
    opening.remove(partition, begun);
  }

  /** Begins to close the store of a partition. A failure is logged. */
  synchronized void close(int partition, Runnable end) {
    closing.put(partition, CompletableFuture.runAsync(() -> end(partition, end), threads));
  }

  private static void end(int partition, Runnable end) {
    try {
      end.run();
    } catch (RuntimeException e) {
      logger.error("the store of partition {} was not closed in order", partition, e);
    }
  }

  /** Waits until all stores are closed that were given to it, or were not taken. */
  @Override
  public void close() {
    Map<Integer, CompletableFuture<EventStore>> left;
    List<CompletableFuture<Void>> ending;
    synchronized (this) {
      left = Map.copyOf(opening);
      ending = List.copyOf(closing.values());
      opening.clear();
    }
    left.forEach(
        (partition, begun) ->
            begun
                .thenAccept(store -> end(partition, store::close))
                .exceptionally(failure -> null) // It was not opened.
                .join());
    ending.forEach(CompletableFuture::join);
    threads.shutdown();
  }
}
