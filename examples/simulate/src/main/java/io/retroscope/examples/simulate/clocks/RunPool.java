// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.ArrayDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Distributes runs over threads in chunks, and returns the chunks in order: the result does not
 * depend on the number of threads.
 */
final class RunPool {
  private final int threads;
  private final Progress progress;
  private final long totalRuns;
  private long doneRuns;

  /** Computes one chunk's result from its runs. */
  interface Chunk<T> {
    T run(int firstRun, int endRun);
  }

  RunPool(int threads, Progress progress, long totalRuns) {
    this.threads = threads;
    this.progress = progress;
    this.totalRuns = totalRuns;
  }

  /**
   * Computes all chunks and passes their results on in order, each as soon as all earlier ones have
   * been passed on.
   *
   * @param chunkRuns the largest number of runs in a chunk, 1 or more; results may depend on it
   * @throws InterruptedException if the caller was interrupted; no run continues
   */
  <T> void run(int runs, int chunkRuns, Chunk<T> chunk, Consumer<T> inOrder)
      throws InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      ArrayDeque<Future<T>> pending = new ArrayDeque<>();
      for (int first = 0; first < runs; first += chunkRuns) {
        int from = first;
        int end = Math.min(runs, first + chunkRuns);
        pending.add(executor.submit(() -> counted(chunk, from, end)));
      }
      while (!pending.isEmpty()) {
        inOrder.accept(pending.remove().get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a simulated run failed", e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  private <T> T counted(Chunk<T> chunk, int from, int end) {
    T result = chunk.run(from, end);
    done(end - from);
    return result;
  }

  private synchronized void done(int runs) {
    doneRuns += runs;
    progress.done(doneRuns, totalRuns);
  }
}
