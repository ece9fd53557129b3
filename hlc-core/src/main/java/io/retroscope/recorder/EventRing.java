// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A bounded multi-producer, single-consumer ring of slots. Lock-free; a writer that finds it full,
 * in slots or in bytes, drops its event and never waits. Not final, so that tests can interleave
 * threads at its steps.
 */
class EventRing {
  /*
   * One word holds the number of claims (tail, low 32 bits) and of drops (high 32 bits), so that
   * either is one compare-and-set and a consistent pair is one read. tail + drops + 1 is the
   * sequence number of the next claim or drop: a drop is a gap. Both wrap around; the reader
   * extends them to 64 bits.
   *
   * A writer takes the slot object from the array *before* the compare-and-set that claims it. The
   * reader replaces the object of a slot that it abandons, so a writer that stalls at any point
   * after its claim writes into an orphan. If it took the object after the claim, it could wake up
   * with the replacement, which belongs to a later lap.
   *
   * The object is the current one: the reader replaces it, if at all, before it moves head past it,
   * and the writer reads head before the object. The object cannot change between that read and the
   * claim either, because only claimed slots are abandoned.
   *
   * Events that hold memory beyond their slot reserve it before they claim. The thread that
   * atomically takes the reservation from the slot releases it: the reader when it recycles or
   * abandons the slot, or the writer when it finds that it was abandoned. Numbers reserve nothing
   * and do not touch that counter.
   */
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  /* The word, head and the reserved bytes have one cache line each. */
  private static final int WORD = 16;
  private static final int HEAD = 32;
  private static final int RESERVED = 48;
  private static final int CELL_COUNT = 64;

  static final int MIN_CAPACITY = 2;
  static final int MAX_CAPACITY = 1 << 24;

  private final long[] cells = new long[CELL_COUNT];
  private final Slot[] slots;
  private final int mask;
  private final long maxBytes;

  /** Accessed by the reader only; writers see a full ring. */
  private boolean sealed;

  /**
   * A ring.
   *
   * @param capacity a value that {@link #checkCapacity} accepts
   * @param maxBytes the maximum memory that waiting events may hold beyond their slots
   */
  EventRing(int capacity, long maxBytes) {
    this.maxBytes = maxBytes;
    slots = new Slot[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new Slot();
    }
    mask = capacity - 1;
  }

  /** Returns the capacity if it is valid. */
  static int checkCapacity(int capacity) {
    if (capacity < MIN_CAPACITY || capacity > MAX_CAPACITY || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException(
          "ring.capacity must be a power of two from "
              + MIN_CAPACITY
              + " to "
              + MAX_CAPACITY
              + ": "
              + capacity);
    }
    return capacity;
  }

  int capacity() {
    return slots.length;
  }

  /**
   * A slot for an event that holds the given number of bytes beyond it, or null if the event was
   * dropped and counted.
   *
   * @param bytes as {@link Footprint} estimates them, 0 or more
   */
  @Nullable Slot claim(int bytes) {
    if (bytes == 0) {
      return claim();
    }
    if (!reserve(bytes)) {
      skip();
      return null;
    }
    Slot slot = claim();
    if (slot == null) {
      unreserve(bytes);
    } else {
      slot.heldBytes = bytes;
    }
    return slot;
  }

  private boolean reserve(int bytes) {
    while (true) {
      long reserved = reservedBytes();
      if (reserved + bytes > maxBytes) {
        return false;
      }
      if (CELL.compareAndSet(cells, RESERVED, reserved, reserved + bytes)) {
        return true;
      }
    }
  }

  /** Releases the bytes that {@link #claim(int)} reserved. */
  void unreserve(long bytes) {
    if (bytes != 0) {
      CELL.getAndAdd(cells, RESERVED, -bytes);
    }
  }

  /** The bytes that waiting events hold beyond their slots. */
  long reservedBytes() {
    return (long) CELL.getVolatile(cells, RESERVED);
  }

  /** The number of events waiting to be drained, approximately; the capacity once sealed. */
  int waiting() {
    int head = (int) (long) CELL.getVolatile(cells, HEAD);
    return Math.max(0, Math.min(slots.length, tail(word()) - head));
  }

  /**
   * A slot for the calling thread to fill and publish, or null if the event was dropped and
   * counted.
   */
  @Nullable Slot claim() {
    while (true) {
      long word = (long) CELL.getVolatile(cells, WORD);
      int tail = tail(word);
      int head = (int) (long) CELL.getVolatile(cells, HEAD);
      if (tail - head >= slots.length) {
        if (CELL.compareAndSet(cells, WORD, word, word + (1L << 32))) {
          return null;
        }
      } else {
        Slot slot = slots[tail & mask];
        if (CELL.compareAndSet(cells, WORD, word, withTail(word, tail + 1))) {
          claimed();
          slot.drops = drops(word);
          return slot;
        }
      }
    }
  }

  /** A hook at which a test runs another thread's steps just after a claim. */
  void claimed() {}

  /** Counts a drop, which consumes a sequence number. */
  void skip() {
    while (true) {
      long word = word();
      if (CELL.compareAndSet(cells, WORD, word, word + (1L << 32))) {
        return;
      }
    }
  }

  /** The claims and drops so far, to be decoded by {@link #tail} and {@link #drops}. */
  long word() {
    return (long) CELL.getVolatile(cells, WORD);
  }

  static int tail(long word) {
    return (int) word;
  }

  static int drops(long word) {
    return (int) (word >>> 32);
  }

  private static long withTail(long word, int tail) {
    return (word & 0xFFFF_FFFF_0000_0000L) | (tail & 0xFFFF_FFFFL);
  }

  /** The slot at a position. Reader only. */
  Slot slot(long position) {
    return slots[(int) position & mask];
  }

  /** Replaces the object of a slot whose writer is late by a new one. Reader only. */
  void replace(long position) {
    slots[(int) position & mask] = new Slot();
  }

  /** Releases all slots below a position to the writers. Reader only. */
  void release(long position) {
    if (!sealed) {
      CELL.setRelease(cells, HEAD, position);
    }
  }

  /**
   * Prevents further claims: the ring appears full from now on. Reader only.
   *
   * @return the word just before sealing: its drops and tail are final, and the sequence number
   *     derived from it belongs to the caller
   */
  long seal() {
    sealed = true;
    while (true) {
      long word = word();
      CELL.setVolatile(cells, HEAD, (long) tail(word) - slots.length);
      // A writer that read the old head also has the old word, so its compare-and-set fails.
      if (CELL.compareAndSet(cells, WORD, word, word + (1L << 32))) {
        return word;
      }
    }
  }
}
