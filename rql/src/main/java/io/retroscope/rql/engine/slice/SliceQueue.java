// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The items of all slices of one walk, on their way from the threads that walk the slices to the
 * query's thread, which joins them in order. Thread-safe.
 *
 * <p>Items of slices that are not joined yet wait here, up to {@link #MAX_WAITING_BYTES}. A helper
 * that reaches this limit waits, unless its slice is joined next and has fewer than {@link
 * #MIN_WAITING_BYTES} here. So there is always progress.
 */
final class SliceQueue {
  static final long MAX_WAITING_BYTES = 8 << 20;

  /** What the slice that is joined next may keep even if others have reached the limit. */
  static final long MIN_WAITING_BYTES = 1 << 20;

  private static final long LOOK_NANOS = 5_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Slot> slots = new ArrayList<>();
  private int claimed;
  private int claimedByHelpers;
  private int joined;
  private int helping;
  private long signals;
  private long waitingBytes;
  private long mostWaitingBytes;
  private boolean wasInterrupted;
  private volatile boolean isStopped;
  private volatile int awaited = -1;

  /** What waits of one slice. Guarded by the lock. */
  private static final class Slot {
    private List<SliceItem> items = new ArrayList<>();

    /** The bytes of the items that wait or are being joined. */
    private long bytes;

    /** Those of the items that are being joined. */
    private long takenBytes;

    private boolean isDone;
    private @Nullable Throwable failure;
  }

  /**
   * A queue without items.
   *
   * @param slices the number of slices
   */
  SliceQueue(int slices) {
    for (int i = 0; i < slices; i++) {
      slots.add(new Slot());
    }
  }

  /** Claims the next slice that no thread walks; -1 if there is none or no more are wanted. */
  int claim(boolean asHelper) {
    lock.lock();
    try {
      if (claimed == slots.size() || isStopped) {
        return -1;
      }
      claimedByHelpers += asHelper ? 1 : 0;
      return claimed++;
    } finally {
      lock.unlock();
    }
  }

  /** Counts one more helper, if there is a slice that it can claim; returns whether it did. */
  boolean addHelper() {
    lock.lock();
    try {
      // A helper for each slice would only compete for those that are left.
      boolean isUseful = !isStopped && claimed + helping < slots.size();
      helping += isUseful ? 1 : 0;
      return isUseful;
    } finally {
      lock.unlock();
    }
  }

  /** Counts one helper less. */
  void removeHelper() {
    lock.lock();
    try {
      helping--;
      signal();
    } finally {
      lock.unlock();
    }
  }

  /** Whether no more items are wanted. */
  boolean isStopped() {
    return isStopped;
  }

  /** Ends the walk: no more items are wanted. */
  void stop() {
    lock.lock();
    try {
      isStopped = true;
      signal();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the query's thread waits for the next item of a slice. */
  boolean isAwaited(int slice) {
    return awaited == slice;
  }

  /** Adds items of a slice that a helper walks; waits until there is room for them. */
  void putWhenRoom(int slice, List<SliceItem> items, long bytes) {
    lock.lock();
    try {
      Slot slot = slots.get(slice);
      while (!isStopped
          && waitingBytes + bytes > MAX_WAITING_BYTES
          && (joined != slice || slot.bytes >= MIN_WAITING_BYTES)) {
        changed.awaitUninterruptibly();
      }
      add(slot, items, bytes);
    } finally {
      lock.unlock();
    }
  }

  /** Adds items of a slice that the query's thread walks, which has to make room before. */
  void put(int slice, List<SliceItem> items, long bytes) {
    lock.lock();
    try {
      add(slots.get(slice), items, bytes);
    } finally {
      lock.unlock();
    }
  }

  private void add(Slot slot, List<SliceItem> items, long bytes) {
    slot.items.addAll(items);
    slot.bytes += bytes;
    waitingBytes += bytes;
    mostWaitingBytes = Math.max(mostWaitingBytes, waitingBytes);
    signal();
  }

  boolean hasRoomFor(long bytes) {
    lock.lock();
    try {
      return waitingBytes + bytes <= MAX_WAITING_BYTES;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the items of a slice.
   *
   * @param failure why the slice could not be walked to its end; null if it was
   */
  void end(int slice, @Nullable Throwable failure) {
    lock.lock();
    try {
      Slot slot = slots.get(slice);
      slot.isDone = true;
      slot.failure = failure;
      signal();
    } finally {
      lock.unlock();
    }
  }

  /*
   * The rest is for the query's thread only.
   */

  /** The slice that is joined next; the number of slices after the last one. */
  int joined() {
    return joined; // Only this thread changes it.
  }

  /** Whether items of the slice that is joined next wait, or its end. */
  boolean hasNext() {
    lock.lock();
    try {
      return !slots.get(joined).items.isEmpty() || slots.get(joined).isDone;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the items that wait of the slice that is joined next. Their bytes count until {@link
   * #release}.
   *
   * @param waits whether to wait some milliseconds for the first one
   */
  List<SliceItem> take(boolean waits) {
    lock.lock();
    try {
      Slot slot = slots.get(joined);
      if (waits && slot.items.isEmpty() && !slot.isDone) {
        awaited = joined;
        await();
        awaited = -1;
      }
      List<SliceItem> taken = slot.items;
      slot.items = new ArrayList<>();
      slot.takenBytes = slot.bytes;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Makes room after the items that were taken last have been joined. */
  void release() {
    lock.lock();
    try {
      Slot slot = slots.get(joined);
      waitingBytes -= slot.takenBytes;
      slot.bytes -= slot.takenBytes;
      slot.takenBytes = 0;
      signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves to the next slice, if all items of this one have been joined.
   *
   * <p>If the slice failed, this throws its failure instead.
   */
  void next() {
    Throwable failure;
    lock.lock();
    try {
      Slot slot = slots.get(joined);
      if (!slot.isDone || !slot.items.isEmpty()) {
        return;
      }
      failure = slot.failure;
      joined++;
      signal();
    } finally {
      lock.unlock();
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  /** Ends the walk, and waits until no helper is left. Keeps an interrupt for the caller. */
  void awaitHelpers() {
    stop();
    lock.lock();
    try {
      while (helping > 0) {
        await();
      }
    } finally {
      lock.unlock();
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The number of slices that helpers claimed. */
  int claimedByHelpers() {
    return claimedByHelpers;
  }

  /** The largest number of bytes of items that waited or were being joined at the same time. */
  long mostWaitingBytes() {
    return mostWaitingBytes;
  }

  private void await() {
    long seen = signals;
    long left = LOOK_NANOS;
    try {
      while (signals == seen && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      wasInterrupted = true; // Interrupts do not end queries.
    }
  }

  private void signal() {
    signals++;
    changed.signalAll();
  }
}
