// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writing thread and its queue. It applies all submissions in the queue, makes them durable
 * with one sync of the log, and then answers them. Thread-safe.
 */
final class GroupCommit {
  /** The largest number of submissions in the queue, whatever their size. */
  static final int MAX_WAITING = 1024;

  /** The longest time for which a sender waits for room in the queue before it is rejected. */
  static final long MAX_WAIT_MILLIS = 5_000;

  /** The part of the time for its end that an interrupt of the waiting thread may take away. */
  private static final long JOIN_MILLIS = 100;

  private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);

  /** Nothing to write: it wakes the writing thread, which sleeps while the queue is empty. */
  private static final Task END =
      new Task(new Submission.Frames(List.of()), new CompletableFuture<>());

  private final StoreWriter writer;
  private final Metrics metrics;
  private final WriteHealth health = new WriteHealth();
  private final BlockingQueue<Task> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final MemoryBudget memory;
  private final Thread thread = new Thread(this::run, "store-writer");
  private volatile boolean closing;

  private record Task(Submission submission, CompletableFuture<Receipt> answer) {}

  /**
   * Starts the thread.
   *
   * @param memory the budget to which queued submissions are charged
   */
  GroupCommit(StoreWriter writer, MemoryBudget memory, Metrics metrics) {
    this.writer = writer;
    this.memory = memory;
    this.metrics = metrics;
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Queues a submission, and charges its memory until it is answered.
   *
   * @return completes once the submission is durable, or with the reason why no part of it was
   *     stored
   */
  CompletableFuture<Receipt> submit(Submission submission) {
    MemoryBudget.Charge charge = memory.charge();
    try {
      return submit(submission, charge).whenComplete((receipt, failure) -> charge.close());
    } catch (RuntimeException e) {
      charge.close();
      throw e;
    }
  }

  /**
   * Queues a submission whose memory is charged already.
   *
   * @param charge is enlarged if it is too small, and closed by the caller
   */
  CompletableFuture<Receipt> submit(Submission submission, MemoryBudget.Charge charge) {
    try {
      long bytes = submission.sizeBytes();
      if (charge.bytes() < bytes) {
        charge.resize(bytes);
      }
    } catch (OverBudgetException e) {
      throw new StoreBusyException(String.valueOf(e.getMessage()));
    }
    CompletableFuture<Receipt> answer = new CompletableFuture<>();
    Task task = new Task(submission, answer);
    try {
      if (closing || !waiting.offer(task, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw closing
            ? new StoreException("the store is closing")
            : new StoreBusyException("too many requests wait to be stored; try again in a second");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting to store", e);
    }
    if (closing && waiting.remove(task)) {
      throw new StoreException("the store is closing");
    }
    return answer;
  }

  /** The reason why nothing can be stored, in one sentence. */
  Optional<String> trouble() {
    return health.trouble();
  }

  /** The writing thread. */
  Thread thread() {
    return thread;
  }

  int waitingCount() {
    return waiting.size();
  }

  long waitingBytes() {
    return waiting.stream().mapToLong(task -> task.submission.sizeBytes()).sum();
  }

  private void run() {
    List<Task> group = new ArrayList<>();
    try {
      while (!closing || !waiting.isEmpty()) {
        group.clear();
        group.add(waiting.take());
        waiting.drainTo(group, MAX_WAITING - 1);
        boolean unused = group.removeIf(END::equals);
        if (!group.isEmpty()) {
          metrics.time(Latency.COMMIT, () -> commit(group));
        }
      }
    } catch (InterruptedException e) {
      // Only a closing JVM interrupts this thread.
      logger.warn("storing was interrupted");
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("storing has ended unexpectedly", e);
    } finally {
      closing = true;
      refuse(group);
      refuse(waiting);
    }
  }

  /** Completes the pending answers exceptionally. */
  private static void refuse(Collection<Task> tasks) {
    StoreException reason = new StoreException("the store is closing");
    tasks.forEach(task -> task.answer.completeExceptionally(reason));
    tasks.clear();
  }

  private void commit(List<Task> group) {
    List<Runnable> answers = new ArrayList<>(group.size());
    List<Task> applied = new ArrayList<>(group.size());
    Receipt total = Receipt.NOTHING;
    for (Task task : group) {
      try {
        Receipt receipt = writer.apply(task.submission);
        applied.add(task);
        total = total.plus(receipt);
        answers.add(() -> task.answer.complete(receipt));
      } catch (RuntimeException | Error e) {
        reportUnexpected(e);
        answers.add(() -> task.answer.completeExceptionally(e));
      }
    }
    try {
      writer.sync();
      if (!applied.isEmpty()) {
        health.succeeded();
      }
      metrics.add(Count.EVENTS_ACCEPTED, total.accepted());
      metrics.add(Count.EVENTS_DUPLICATE, total.duplicates());
    } catch (RuntimeException | Error e) {
      reportUnexpected(e);
      applied.forEach(task -> task.answer.completeExceptionally(e));
    }
    answers.forEach(Runnable::run);
  }

  private void reportUnexpected(Throwable e) {
    FatalErrors.check(e);
    if (e instanceof StoreException store) {
      health.failed(store);
    } else if (!(e instanceof StoreConflictException || e instanceof StoreBusyException)) {
      logger.error("a submission could not be applied", e);
    }
  }

  /**
   * Writes the queue, and ends the thread.
   *
   * @param maxMillis the longest time for that
   * @throws StoreException if that takes too long: then the database must remain open, because the
   *     thread still uses it
   */
  void close(long maxMillis) {
    closing = true;
    boolean unused = waiting.offer(END);
    boolean interrupted = false;
    for (long left = maxMillis; left > 0 && thread.isAlive(); left -= JOIN_MILLIS) {
      try {
        thread.join(Math.min(left, JOIN_MILLIS));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new StoreException(
          "the disk has not answered for %,d ms, so the database is not closed: the next start recovers what was acknowledged"
              .formatted(maxMillis));
    }
  }
}
