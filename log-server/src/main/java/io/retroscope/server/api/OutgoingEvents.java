package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Texts that wait for one client, bounded by the memory that they take. Thread-safe. */
final class OutgoingEvents {
  /** A text's objects and its place in the queue. */
  private static final int TEXT_BYTES = 64;

  /** How often a text that waits looks whether others have left memory. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long maxBytes;
  private final Charge charge;
  private final Deque<String> texts = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean ended;

  /**
   * An empty queue.
   *
   * @param maxBytes of memory; one text is taken in any case
   * @param memory what they are charged to
   */
  OutgoingEvents(long maxBytes, MemoryBudget memory) {
    this.maxBytes = maxBytes;
    this.charge = memory.charge();
  }

  /** Adds a text; false if there was no room for so long, or the queue has ended. */
  boolean offer(String text, long timeoutMillis) throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    lock.lockInterruptibly();
    try {
      while (!ended && !hasRoom(size(text))) {
        if (left <= 0) {
          return false;
        }
        long step = Math.min(left, LOOK_NANOS);
        left -= step - Math.max(0, changed.awaitNanos(step));
      }
      if (ended) {
        return false;
      }
      texts.add(text);
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoom(long size) {
    return (texts.isEmpty() || charge.bytes() + size <= maxBytes)
        && charge.tryResize(charge.bytes() + size);
  }

  private static long size(String text) {
    return TEXT_BYTES + 2L * text.length();
  }

  /** The next text; empty if none came in time, or none will any more. */
  Optional<String> poll(long timeoutMillis) throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    lock.lockInterruptibly();
    try {
      while (texts.isEmpty() && !ended && left > 0) {
        left = changed.awaitNanos(left);
      }
      @Nullable String text = texts.poll();
      if (text != null) {
        charge.resize(charge.bytes() - size(text));
        changed.signalAll();
      }
      return Optional.ofNullable(text);
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more; what waits can still be polled. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more, and forgets what waits. */
  void discard() {
    lock.lock();
    try {
      texts.clear();
      charge.close();
    } finally {
      lock.unlock();
    }
    end();
  }
}
