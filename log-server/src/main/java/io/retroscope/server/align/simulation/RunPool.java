package io.retroscope.server.align.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Spreads runs over threads in chunks, and gives the chunks back in order: what is made of them
 * does not depend on how many threads there were.
 */
final class RunPool {
  private final int threads;
  private final Progress progress;
  private final long totalRuns;
  private long doneRuns;

  /** Makes one chunk's result from its runs. */
  interface Chunk<T> {
    T run(int firstRun, int endRun);
  }

  RunPool(int threads, Progress progress, long totalRuns) {
    this.threads = threads;
    this.progress = progress;
    this.totalRuns = totalRuns;
  }

  /**
   * The chunks' results, in order.
   *
   * @param chunkRuns runs in a chunk at most, 1 or more; the results depend on it
   * @throws InterruptedException if the caller was; no run goes on
   */
  <T> List<T> run(int runs, int chunkRuns, Chunk<T> chunk) throws InterruptedException {
    List<Callable<T>> tasks = new ArrayList<>();
    for (int first = 0; first < runs; first += chunkRuns) {
      int from = first;
      int end = Math.min(runs, first + chunkRuns);
      tasks.add(
          () -> {
            T result = chunk.run(from, end);
            done(end - from);
            return result;
          });
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a simulated run failed", e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  private synchronized void done(int runs) {
    doneRuns += runs;
    progress.done(doneRuns, totalRuns);
  }
}
