package io.retroscope.recorder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A bounded ring of slots, many writers to one reader. Lock-free; a writer that finds it full drops
 * its event and never waits.
 */
final class EventRing {
  /*
   * One word holds the number of claims (tail, low 32 bits) and of drops (high 32 bits), so that either is one
   * compare-and-set and a consistent pair is one read. tail + drops + 1 is the sequence number of whoever claims or
   * drops next: a drop is a gap. Both wrap around; the reader extends them to 64 bits.
   *
   * A writer takes the slot object from the array *before* the compare-and-set that claims it. The reader replaces the
   * object of a slot that it abandons, so a writer that stalls at any point after its claim writes into an orphan.
   * Taking the object after the claim would let it wake up with the replacement in hand, on a later lap's slot.
   *
   * The object is the right one: the reader replaces it, if at all, before it moves head past it, and the writer reads
   * head before the object. Nor can the object change between that read and the claim, for only claimed slots are
   * abandoned.
   */
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  /* The word and head lie in cache lines of their own. */
  private static final int WORD = 16;
  private static final int HEAD = 32;
  private static final int CELL_COUNT = 48;

  static final int MIN_CAPACITY = 2;
  static final int MAX_CAPACITY = 1 << 24;

  private final long[] cells = new long[CELL_COUNT];
  private final Slot[] slots;
  private final int mask;

  /** The reader's alone; writers see a full ring. */
  private boolean sealed;

  EventRing(int capacity) {
    slots = new Slot[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new Slot();
    }
    mask = capacity - 1;
  }

  /** The capacity, if a ring can have it. */
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

  /** A slot for the calling thread to fill and publish, or null: dropped and counted. */
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
          slot.drops = drops(word);
          return slot;
        }
      }
    }
  }

  /** Counts a drop: takes a sequence number that no event will have. */
  void skip() {
    while (true) {
      long word = word();
      if (CELL.compareAndSet(cells, WORD, word, word + (1L << 32))) {
        return;
      }
    }
  }

  /** Claims and drops so far, as {@link #tail} and {@link #drops} take them apart. */
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

  /** Puts a fresh object in the place of a slot whose writer is given up on. Reader only. */
  void replace(long position) {
    slots[(int) position & mask] = new Slot();
  }

  /** Gives everything below a position back to the writers. Reader only. */
  void release(long position) {
    if (!sealed) {
      CELL.setRelease(cells, HEAD, position);
    }
  }

  /**
   * Lets no further claim through: the ring looks full from here on. Reader only.
   *
   * @return the word just before: its drops and tail are all that there will be, and the sequence
   *     number that it yields belongs to the caller
   */
  long seal() {
    sealed = true;
    while (true) {
      long word = word();
      CELL.setVolatile(cells, HEAD, (long) tail(word) - slots.length);
      // A writer that read the old head still holds the old word, and fails at its compare-and-set.
      if (CELL.compareAndSet(cells, WORD, word, word + (1L << 32))) {
        return word;
      }
    }
  }
}
