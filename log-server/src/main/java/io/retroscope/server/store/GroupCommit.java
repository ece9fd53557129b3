package io.retroscope.server.store;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that writes: it applies all submissions that wait, makes them durable with one sync of
 * the log, and only then answers them. Thread-safe.
 */
final class GroupCommit implements AutoCloseable {
  /** Submissions that may wait, however small. */
  static final int MAX_WAITING = 1024;

  /** How long a sender is kept waiting for room before it is turned away. */
  static final long MAX_WAIT_MILLIS = 5_000;

  private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);
  private static final int UNIT_BYTES = 1024;

  private final StoreWriter writer;
  private final Metrics metrics;
  private final WriteHealth health = new WriteHealth();
  private final BlockingQueue<Task> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Semaphore room;
  private final int roomUnits;
  private final Thread thread = new Thread(this::run, "store-writer");
  private volatile boolean closing;

  private record Task(Submission submission, int units, CompletableFuture<Receipt> answer) {}

  /**
   * Starts the thread.
   *
   * @param queueBytes of submissions that may wait
   */
  GroupCommit(StoreWriter writer, long queueBytes, Metrics metrics) {
    this.writer = writer;
    this.metrics = metrics;
    this.roomUnits = (int) Math.min(Integer.MAX_VALUE, Math.max(1, queueBytes / UNIT_BYTES));
    this.room = new Semaphore(roomUnits);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Queues a submission.
   *
   * @return completes once it is durable, or with the reason why nothing of it was stored
   */
  CompletableFuture<Receipt> submit(Submission submission) {
    int units = (int) Math.min(roomUnits, submission.sizeBytes() / UNIT_BYTES + 1);
    CompletableFuture<Receipt> answer = new CompletableFuture<>();
    boolean taken = false;
    try {
      taken = room.tryAcquire(units, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
      if (!taken) {
        throw new StoreBusyException("too many bytes wait to be stored; try again in a second");
      }
      Task task = new Task(submission, units, answer);
      if (closing || !waiting.offer(task, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        room.release(units);
        throw closing
            ? new StoreException("the store is closing")
            : new StoreBusyException("too many requests wait to be stored; try again in a second");
      }
      if (closing && waiting.remove(task)) {
        room.release(units);
        throw new StoreException("the store is closing");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (taken) {
        room.release(units);
      }
      throw new StoreException("interrupted while waiting to store", e);
    }
    return answer;
  }

  /** The reason why nothing can be stored, in one sentence. */
  Optional<String> trouble() {
    return health.trouble();
  }

  /** The thread that writes. */
  Thread thread() {
    return thread;
  }

  int waitingCount() {
    return waiting.size();
  }

  long waitingBytes() {
    return (long) (roomUnits - room.availablePermits()) * UNIT_BYTES;
  }

  private void run() {
    List<Task> group = new ArrayList<>();
    try {
      while (!closing || !waiting.isEmpty()) {
        group.clear();
        Task first = waiting.poll(100, TimeUnit.MILLISECONDS);
        if (first != null) {
          group.add(first);
          waiting.drainTo(group, MAX_WAITING - 1);
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

  /** Whoever waits for an answer gets one. */
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
    group.forEach(task -> room.release(task.units));
    answers.forEach(Runnable::run);
  }

  private void reportUnexpected(Throwable e) {
    FatalErrors.check(e);
    if (e instanceof StoreException store) {
      health.failed(store);
    } else if (!(e instanceof StoreConflictException)) {
      logger.error("a submission could not be applied", e);
    }
  }

  /** Writes what waits, and ends the thread. */
  @Override
  public void close() {
    closing = true;
    boolean interrupted = false;
    for (boolean ended = false; !ended; ) {
      try {
        thread.join(TimeUnit.SECONDS.toMillis(30));
        ended = true;
      } catch (InterruptedException e) {
        // What comes next must not meet the thread at work.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
