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

/** A queue of texts for one client, bounded by the memory that they take. Thread-safe. */
final class OutgoingEvents {
  /** The size of a text's objects and its place in the queue. */
  private static final int TEXT_BYTES = 64;

  /** The interval at which a waiting text checks for free memory. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final QueueRoom room;
  private final Charge charge;
  private final int queries;
  private final Deque<Text> texts = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int senders;
  private boolean ended;

  /**
   * A text that waits.
   *
   * @param bytes that it is charged with
   */
  private record Text(String text, long bytes) {}

  /** An empty queue of the only query. */
  OutgoingEvents(long maxBytes, MemoryBudget memory) {
    this(new QueueRoom(memory, maxBytes, () -> 1), 1);
  }

  /**
   * An empty queue.
   *
   * @param room bounds its memory; one text is accepted in any case
   * @param queries the number of those that {@linkplain #end end} it
   */
  OutgoingEvents(QueueRoom room, int queries) {
    this.room = room;
    this.charge = room.charge();
    this.queries = queries;
    this.senders = queries;
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
      texts.add(new Text(text, size(text)));
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
      return texts.isEmpty() || charge.bytes() <= room.bytes(queries) / 2;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a text whatever waits, even if there is no memory to charge it to: for texts that are few
   * and short.
   */
  void offerAnyway(String text) {
    lock.lock();
    try {
      if (!ended) {
        texts.add(new Text(text, resize(size(text)) ? size(text) : 0));
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoom(long size) {
    return (texts.isEmpty() || charge.bytes() + size <= room.bytes(queries)) && resize(size);
  }

  private boolean resize(long more) {
    boolean isDone = charge.tryResize(charge.bytes() + more);
    if (isDone) {
      room.queued(more);
    }
    return isDone;
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
      Optional<Text> next = Optional.ofNullable(texts.poll());
      if (next.isPresent() && resize(-next.get().bytes())) {
        changed.signalAll();
      }
      return next.map(Text::text);
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
      boolean unused = resize(-charge.bytes());
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
