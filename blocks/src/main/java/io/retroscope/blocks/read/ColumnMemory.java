// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.EventBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Arrays that one decoded block after the other uses for its columns, each until it is released.
 * Used by one thread.
 */
public final class ColumnMemory implements Allocation {
  /*
   * A walk reads each block once. With new arrays for each, it is bound by memory that is written for
   * the first time; arrays that are used again are still in the processor's cache. Only arrays of the
   * same length are: nearly all blocks have as many rows as a block can have, and the numbers of
   * their changes are rounded up.
   *
   * A reader of a block that was released would get wrong rows. So where assertions are enabled, as
   * in all tests, arrays are filled with what no column has.
   */
  private static final int MAX_FREE_BYTES = 1 << 20;

  /** The number of arrays among which one of a size is searched. */
  private static final int MAX_FREE = 64;

  private static final long SPOILED = 0x8080_8080_8080_8080L;

  private final IdentityHashMap<EventBlock, List<Object>> lent = new IdentityHashMap<>();
  private final Deque<Object> free = new ArrayDeque<>();
  private List<Object> taken = new ArrayList<>();
  private long freeBytes;

  /** No arrays yet. */
  public ColumnMemory() {}

  @Override
  public long[] longs(int size) {
    long[] array = (long[]) find(long[].class, size);
    return take(array == null ? new long[size] : array);
  }

  @Override
  public int[] ints(int size) {
    int[] array = (int[]) find(int[].class, size);
    return take(array == null ? new int[size] : array);
  }

  @Override
  public int[] intsAtLeast(int size) {
    return ints(size < 2 ? size : 2 * Integer.highestOneBit(size - 1));
  }

  private <T> T take(T array) {
    assert spoil(array);
    taken.add(array);
    return array;
  }

  /** Removes the array of a size that was freed last; null if there is none. */
  private @Nullable Object find(Class<?> type, int size) {
    for (Iterator<Object> latest = free.iterator(); latest.hasNext(); ) {
      Object array = latest.next();
      if (array.getClass() == type && sizeOf(array) == size) {
        latest.remove();
        freeBytes -= bytesOf(array);
        return array;
      }
    }
    return null;
  }

  /** Lends the arrays that were taken since the last call to a block, until it is released. */
  void lendTo(EventBlock block) {
    lent.put(block, taken);
    taken = new ArrayList<>();
  }

  /** Takes back the arrays that were taken since the last block, to which nothing refers. */
  void takeBack() {
    taken.forEach(this::free);
    taken.clear();
  }

  /**
   * Takes back the arrays of a block that is not read any more.
   *
   * @param block one that has other arrays is ignored
   */
  public void release(EventBlock block) {
    List<Object> arrays = lent.remove(block);
    if (arrays != null) {
      arrays.forEach(this::free);
    }
  }

  private void free(Object array) {
    assert spoil(array);
    free.addFirst(array);
    freeBytes += bytesOf(array);
    while (freeBytes > MAX_FREE_BYTES || free.size() > MAX_FREE) {
      freeBytes -= bytesOf(free.removeLast());
    }
  }

  /** The bytes of the arrays that wait for a block. */
  long freeBytes() {
    return freeBytes;
  }

  private static boolean spoil(Object array) {
    if (array instanceof long[] longs) {
      Arrays.fill(longs, SPOILED);
    } else {
      Arrays.fill((int[]) array, (int) SPOILED);
    }
    return true;
  }

  private static int sizeOf(Object array) {
    return array instanceof long[] longs ? longs.length : ((int[]) array).length;
  }

  private static long bytesOf(Object array) {
    return (long) sizeOf(array) * (array instanceof long[] ? Long.BYTES : Integer.BYTES);
  }
}
