// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Threads that work on runs, a few at a time. Results come in the order of the runs, and at most a
 * few wait for an earlier one.
 */
public final class RunPool {
  /** The results that may wait, for each thread. */
  private static final int WAITING_PER_THREAD = 4;

  private final int threads;

  /**
   * Creates a pool, which has no thread until it is used.
   *
   * @param threads at least 1
   */
  public RunPool(int threads) {
    this.threads = threads;
  }

  /** A pool with as many threads as the machine has processors. */
  public static RunPool ofProcessors() {
    return new RunPool(Runtime.getRuntime().availableProcessors());
  }

  /**
   * Works on all runs.
   *
   * @param work called by several threads; its unchecked exceptions are thrown here
   * @param results receives them in order, in the calling thread
   * @throws InterruptedException if the calling thread is interrupted
   */
  public <T> void forEach(
      List<RecordedRun> runs, Function<RecordedRun, T> work, Consumer<T> results)
      throws InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    Deque<Future<T>> waiting = new ArrayDeque<>();
    try {
      for (RecordedRun run : runs) {
        waiting.add(executor.submit(() -> work.apply(run)));
        if (waiting.size() > threads * WAITING_PER_THREAD) {
          results.accept(result(waiting.remove()));
        }
      }
      while (!waiting.isEmpty()) {
        results.accept(result(waiting.remove()));
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static <T> T result(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new AssertionError(e);
    }
  }
}
