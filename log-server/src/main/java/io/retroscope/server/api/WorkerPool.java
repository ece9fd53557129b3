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

/** The threads that requests of one kind may hold. Thread-safe. */
final class WorkerPool implements Executor, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);
  private static final long IDLE_SECONDS = 30;
  private static final long MAX_END_SECONDS = 5;

  private final ThreadPoolExecutor threads;

  /**
   * A pool without threads; they come as they are needed.
   *
   * @param name of its threads, before their number
   * @param maxThreads at the same time
   * @param maxWaiting requests that wait for one
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
   * Runs a task on one of the threads; what it throws is logged.
   *
   * @throws RejectedExecutionException if too many wait already
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

  /** Starts nothing any more, and waits a while for what runs: it may read what is closed next. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(MAX_END_SECONDS, TimeUnit.SECONDS)) {
        logger.error(
            "{} requests are still answered while the server stops", threads.getActiveCount());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
