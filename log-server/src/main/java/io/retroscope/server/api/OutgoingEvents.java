// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue of events for one client, bounded by the memory that they take until the client's
 * connection has accepted them. Thread-safe.
 */
final class OutgoingEvents {
  /** The size of an event's objects and its place in the queue. */
  private static final long EVENT_BYTES = 64;

  /** The most bytes that are taken together, unless one event is longer. */
  static final int TAKEN_BYTES = 64 << 10;

  /** The interval at which a waiting event checks for free memory. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final QueueRoom room;
  private final Charge charge;
  private final int queries;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile Runnable reader = () -> {};
  private int senders;
  private boolean ended;

  /** The bytes charged for the events that were taken and are not written yet. */
  private long takenBytes;

  /**
   * An event that waits.
   *
   * @param bytes that it is charged with
   */
  private record Waiting(OutgoingEvent event, long bytes) {}

  /** An empty queue of the only query. */
  OutgoingEvents(long maxBytes, MemoryBudget memory) {
    this(new QueueRoom(memory, maxBytes, () -> 1), 1);
  }

  /**
   * An empty queue.
   *
   * @param room bounds its memory; one event is accepted in any case
   * @param queries the number of those that {@linkplain #end end} it
   */
  OutgoingEvents(QueueRoom room, int queries) {
    this.room = room;
    this.charge = room.charge();
    this.queries = queries;
    this.senders = queries;
  }

  /**
   * Sets who takes the events.
   *
   * @param whenReady called whenever there is something to take, or nothing will follow; it must
   *     not block
   */
  void readBy(Runnable whenReady) {
    reader = whenReady;
  }

  /** Adds an event; false if there was no room within the timeout, or the queue has ended. */
  boolean offer(OutgoingEvent event, long timeoutMillis) throws InterruptedException {
    long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    lock.lockInterruptibly();
    try {
      while (!ended && !hasRoom(size(event))) {
        if (left <= 0) {
          return false;
        }
        long step = Math.min(left, LOOK_NANOS);
        left -= step - Math.max(0, changed.awaitNanos(step));
      }
      if (ended) {
        return false;
      }
      waiting.add(new Waiting(event, size(event)));
    } finally {
      lock.unlock();
    }
    reader.run();
    return true;
  }

  /** Whether so little waits that a client that lost events may get further ones. */
  boolean isHalfEmpty() {
    lock.lock();
    try {
      return charge.bytes() <= room.bytes(queries) / 2;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds an event whatever waits, even if there is no memory to charge it to: for events that are
   * few and short.
   */
  void offerAnyway(OutgoingEvent event) {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      waiting.add(new Waiting(event, resize(size(event)) ? size(event) : 0));
    } finally {
      lock.unlock();
    }
    reader.run();
  }

  private boolean hasRoom(long size) {
    boolean isEmpty = waiting.isEmpty() && takenBytes == 0;
    return (isEmpty || charge.bytes() + size <= room.bytes(queries)) && resize(size);
  }

  private boolean resize(long more) {
    boolean isDone = charge.tryResize(charge.bytes() + more);
    if (isDone) {
      room.queued(more);
    }
    return isDone;
  }

  private static long size(OutgoingEvent event) {
    return EVENT_BYTES + event.length();
  }

  /** Whether there is something to take, or nothing will follow. */
  boolean isReady() {
    lock.lock();
    try {
      return ended || !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Whether everything was taken, and nothing will follow. */
  boolean isDone() {
    lock.lock();
    try {
      return ended && waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes the next events, as they are sent; no bytes if none waits. They count as waiting until
   * they are {@linkplain #written}, before which none are taken again.
   */
  ByteBuffer take() {
    lock.lock();
    try {
      List<OutgoingEvent> taken = new ArrayList<>();
      long length = 0;
      for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
        length += next.event().length();
        if (!taken.isEmpty() && length > TAKEN_BYTES) {
          break;
        }
        taken.add(next.event());
        takenBytes += next.bytes();
        waiting.remove();
      }
      return OutgoingEvent.join(taken);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the connection has accepted the events that were taken. */
  void written() {
    lock.lock();
    try {
      boolean unused = resize(-takenBytes);
      takenBytes = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Accepts no more events of one sender, which calls it once; those that wait can still be taken.
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
    reader.run();
  }

  /** Accepts no more events, and drops those that wait. */
  void discard() {
    lock.lock();
    try {
      waiting.clear();
      takenBytes = 0;
      boolean unused = resize(-charge.bytes());
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    reader.run();
  }
}
