// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that help the queries of one engine to walk slices of history. Thread-safe.
 *
 * <p>Each query is walked by its own thread. A helper begins only while there are fewer walking
 * threads than wanted, and ends after its slice if there are more. So queries need no queue, and
 * none waits for the helpers of another one.
 */
public class SliceThreads {
  private static final long IDLE_SECONDS = 10;

  private final int threads;
  private final Executor executor;
  private int walking;

  /**
   * Helpers, of which none runs yet.
   *
   * @param threads the number of threads that may walk at the same time, with those of the queries;
   *     at least 1
   */
  public SliceThreads(int threads) {
    this.threads = threads;
    AtomicInteger count = new AtomicInteger();
    this.executor =
        new ThreadPoolExecutor(
            0,
            Math.max(1, threads - 1),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "query-slices-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** The number of threads that may walk at the same time. */
  public int threads() {
    return threads;
  }

  /** Counts a query's own thread, until {@link #leave}. */
  public synchronized void enter() {
    walking++;
  }

  /** Counts a query's own thread no more. */
  public synchronized void leave() {
    walking--;
  }

  /** The number of threads that walk at present. */
  synchronized int walking() {
    return walking;
  }

  /** Whether more threads walk than wanted, so that a helper has to end. */
  synchronized boolean areTooMany() {
    return walking > threads;
  }

  /**
   * Starts a task in another thread, if fewer threads walk than wanted.
   *
   * @param whenLeft runs in that thread at the end, when it does not count any more
   * @return whether it was started; otherwise nothing runs
   */
  boolean tryStart(Runnable task, Runnable whenLeft) {
    synchronized (this) {
      if (walking >= threads) {
        return false;
      }
      walking++;
    }
    boolean started = false;
    try {
      executor.execute(
          () -> {
            try {
              task.run();
            } finally {
              leave();
              whenLeft.run();
            }
          });
      started = true;
    } catch (RejectedExecutionException e) {
      // A helper that has left has not ended yet.
    } finally {
      if (!started) {
        leave();
      }
    }
    return started;
  }
}
