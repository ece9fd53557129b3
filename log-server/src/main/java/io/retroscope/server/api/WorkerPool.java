// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.health.FatalErrors;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads for requests of one kind. Thread-safe. */
final class WorkerPool implements Executor, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);
  private static final long IDLE_SECONDS = 30;
  private static final long MAX_END_SECONDS = 5;

  private final ThreadPoolExecutor threads;

  /**
   * A pool whose threads are created on demand.
   *
   * @param name the prefix of the threads' names
   * @param maxThreads the largest number of threads
   * @param maxWaiting the largest number of queued requests
   */
  WorkerPool(String name, int maxThreads, int maxWaiting) {
    AtomicInteger count = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            maxThreads,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(maxWaiting),
            task -> {
              Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a task on one of the threads; its failure is logged.
   *
   * @throws RejectedExecutionException if the queue is full
   */
  @Override
  public void execute(Runnable task) {
    threads.execute(() -> run(task));
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("a request failed", e);
    }
  }

  /**
   * Rejects new tasks, and waits for a while for running ones, because they may use parts of the
   * server that are closed next.
   */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(MAX_END_SECONDS, TimeUnit.SECONDS)) {
        logger.error(
            "{} requests are still running while the server stops", threads.getActiveCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
