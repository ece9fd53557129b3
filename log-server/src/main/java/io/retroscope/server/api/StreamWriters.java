// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.health.FatalErrors;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that write to the clients of live results: a few for all of them, because none waits
 * for a client. Thread-safe.
 */
final class StreamWriters implements Executor, AutoCloseable {
  /** Half of the longest time for which an answer sends nothing. */
  private static final long KEEP_ALIVE_MILLIS = 1_000;

  private static final Logger logger = LoggerFactory.getLogger(StreamWriters.class);

  private final WorkerPool threads;
  private final Set<StreamAnswer> open = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService clock;

  /**
   * Starts the threads on demand.
   *
   * @param maxAnswers the largest number of open answers
   */
  StreamWriters(int maxAnswers) {
    // Each answer has at most two tasks: one that writes and one that ends it.
    threads =
        new WorkerPool("stream-writer", Runtime.getRuntime().availableProcessors(), 2 * maxAnswers);
    clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "stream-keep-alive");
              thread.setDaemon(true);
              return thread;
            });
    ScheduledFuture<?> unused =
        clock.scheduleWithFixedDelay(
            this::keepAlive, KEEP_ALIVE_MILLIS, KEEP_ALIVE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void keepAlive() {
    try {
      open.forEach(StreamAnswer::keepAlive);
    } catch (RuntimeException | Error e) {
      // Thrown on, it would end the keep-alives of all answers without a trace.
      FatalErrors.check(e);
      logger.error("the clients of live results were not checked", e);
    }
  }

  /** Keeps the connection of an answer alive until it ends. */
  void add(StreamAnswer answer) {
    open.add(answer);
    var unused = answer.ended().whenComplete((end, failure) -> open.remove(answer));
  }

  /** Runs a task that does not wait. */
  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /** Ends all answers. */
  @Override
  public void close() {
    clock.shutdownNow();
    open.forEach(StreamAnswer::end);
    threads.close();
  }
}
