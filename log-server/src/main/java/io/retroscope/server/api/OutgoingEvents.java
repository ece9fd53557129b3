// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A queue of texts for one client, bounded by the memory that they take. Thread-safe. */
final class OutgoingEvents {
  /** The size of a text's objects and its place in the queue. */
  private static final int TEXT_BYTES = 64;

  /** The interval at which a waiting text checks for free memory. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final LongSupplier maxBytes;
  private final Charge charge;
  private final Deque<String> texts = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int senders;
  private boolean ended;

  /** An empty queue of one sender. */
  OutgoingEvents(long maxBytes, MemoryBudget memory) {
    this(() -> maxBytes, memory, 1);
  }

  /**
   * An empty queue.
   *
   * @param maxBytes of memory, which may change; one text is accepted in any case
   * @param memory the budget to which the texts are charged
   * @param senders the number of senders that {@linkplain #end end} it
   */
  OutgoingEvents(LongSupplier maxBytes, MemoryBudget memory, int senders) {
    this.senders = senders;
    this.maxBytes = maxBytes;
    this.charge = memory.charge();
  }

  /** Adds a text; false if there was no room within the timeout, or the queue has ended. */
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

  /** Whether so little waits that a client that lost events may get further ones. */
  boolean isHalfEmpty() {
    lock.lock();
    try {
      return texts.isEmpty() || charge.bytes() <= maxBytes.getAsLong() / 2;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a text whatever waits, if there is memory. */
  void offerAnyway(String text) {
    lock.lock();
    try {
      if (!ended && charge.tryResize(charge.bytes() + size(text))) {
        texts.add(text);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoom(long size) {
    return (texts.isEmpty() || charge.bytes() + size <= maxBytes.getAsLong())
        && charge.tryResize(charge.bytes() + size);
  }

  private static long size(String text) {
    return TEXT_BYTES + 2L * text.length();
  }

  /** The next text; empty if none arrived in time, or none will follow. */
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

  /**
   * Accepts no more texts of one sender, which calls it once; the queued ones can still be polled.
   */
  void end() {
    lock.lock();
    try {
      senders--;
      ended |= senders == 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Accepts no more texts, and drops the queued ones. */
  void discard() {
    lock.lock();
    try {
      texts.clear();
      charge.close();
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
