// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read several partitions at the same time, because most are at other servers. If all
 * are busy, the caller reads. Thread-safe.
 */
final class PartThreads implements AutoCloseable {
  private static final int MAX_THREADS = 64;
  private static final long KEEP_SECONDS = 10;

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          MAX_THREADS,
          KEEP_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "partition");
            thread.setDaemon(true);
            return thread;
          },
          (task, pool) -> task.run());

  /**
   * Reads something of each part, and waits for all.
   *
   * @return in the order of the parts
   * @throws RuntimeException of the first part that cannot be read
   */
  <P, R> List<R> each(List<P> parts, Function<P, R> read) {
    List<Future<R>> begun = new ArrayList<>();
    parts.forEach(part -> begun.add(threads.submit(() -> read.apply(part))));
    List<R> results = new ArrayList<>();
    try {
      for (Future<R> one : begun) {
        results.add(result(one));
      }
      return results;
    } catch (IOException e) {
      throw new AssertionError("a function throws no checked exception", e);
    } finally {
      begun.forEach(PartThreads::end);
    }
  }

  /** Waits until a part is not used any more, whatever became of it. */
  private static void end(Future<?> begun) {
    try {
      Object unused = result(begun);
    } catch (IOException | RuntimeException e) {
      // Another part has failed before.
    }
  }

  private static <T extends @Nullable Object> T result(Future<T> begun) throws IOException {
    try {
      return begun.get();
    } catch (InterruptedException e) {
      boolean unused = begun.cancel(true);
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while partitions were read", e);
    } catch (CancellationException e) {
      throw new StoreException("the reading of partitions was ended", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException failure) {
        throw failure;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
  }

  /** Does something that nothing waits for. */
  void later(Runnable task) {
    threads.execute(task);
  }

  /** A feed whose first piece is being read already. */
  PieceFeed begun(PieceFeed feed) {
    Callable<@Nullable Piece> next = feed::next;
    Future<@Nullable Piece> first = threads.submit(next);
    return new PieceFeed() {
      private boolean isTaken;

      @Override
      public @Nullable Piece next() throws IOException {
        if (isTaken) {
          return feed.next();
        }
        isTaken = true;
        return result(first);
      }

      @Override
      public void close() {
        end(first);
        feed.close();
      }
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
