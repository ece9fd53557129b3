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

  /**
   * A feed whose first piece is being read already. Closing it ends that reading: a server that
   * stands still must not delay the end of a query.
   */
  PieceFeed begun(PieceFeed feed) {
    Interruptible reading = new Interruptible(feed);
    Future<@Nullable Piece> first = threads.submit(reading);
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
        reading.interrupt();
        feed.close();
        reading.awaitEnd();
      }
    };
  }

  /** The reading of a first piece, which another thread may end. Thread-safe. */
  private static final class Interruptible implements Callable<@Nullable Piece> {
    private final PieceFeed feed;
    private @Nullable Thread reader;
    private boolean isEnded;

    Interruptible(PieceFeed feed) {
      this.feed = feed;
    }

    @Override
    public @Nullable Piece call() throws IOException {
      synchronized (this) {
        if (isEnded) {
          throw new CancellationException("the feed is closed");
        }
        reader = Thread.currentThread();
      }
      try {
        return feed.next();
      } finally {
        leave();
      }
    }

    private synchronized void leave() {
      reader = null;
      if (isEnded) {
        boolean unused = Thread.interrupted(); // The thread continues with other parts.
      }
      notifyAll();
    }

    /** Ends the reading if it waits for a server to begin its answer. */
    synchronized void interrupt() {
      isEnded = true;
      if (reader != null) {
        reader.interrupt();
      }
    }

    /** Waits until nothing reads the feed, which is closed. */
    synchronized void awaitEnd() {
      boolean isInterrupted = false;
      while (reader != null) {
        try {
          wait();
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
