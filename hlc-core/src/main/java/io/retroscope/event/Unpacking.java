// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The loops that unpack the entries of a {@link PackedColumn}'s run. */
final class Unpacking {
  /*
   * They are small static methods, because within a larger one they ran at 0.37 of the speed. Eight
   * entries take as many bytes as an entry has bits. Every load is within the column, which ends with
   * seven bytes more than its entries.
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Unpacking() {}

  /** Whether values that are not negative are below a limit. */
  static boolean areBelow(int[] values, int at, int count, int limit) {
    int outside = 0;
    for (int i = at; i < at + count; i++) {
      outside |= limit - 1 - values[i];
    }
    return outside >= 0;
  }

  /** Copies values, and returns whether all are from 0 to {@code limit - 1}. */
  static boolean copyBelow(long[] from, int count, int limit, int[] to, int at) {
    long outside = 0;
    for (int i = 0; i < count; i++) {
      outside |= from[i] | (limit - 1 - from[i]);
      to[at + i] = (int) from[i];
    }
    return outside >= 0;
  }

  /**
   * Makes stamps of microseconds; returns whether they are valid and ascend from a previous one.
   */
  static boolean makeStamps(long previous, int logical, long[] to, int at, int count) {
    long before = previous;
    long outside = 0;
    for (int i = at; i < at + count; i++) {
      long micros = to[i];
      outside |= micros | (HlcTimestamp.MAX_MICROS - micros) | (micros - before);
      before = micros;
      to[i] = HlcTimestamp.fromWire(micros << HlcTimestamp.LOGICAL_BITS | logical);
    }
    return outside >= 0;
  }

  /**
   * Makes stamps of differences, like {@link #makeStamps}. The base is not a stamp itself, so that
   * the first difference may be anything; its result is compared by the caller.
   */
  static boolean accumulateStamps(long base, int logical, long[] to, int at, int count) {
    long micros = base + to[at];
    long outside = micros;
    to[at] = HlcTimestamp.fromWire(micros << HlcTimestamp.LOGICAL_BITS | logical);
    for (int i = at + 1; i < at + count; i++) {
      long difference = to[i];
      micros += difference;
      outside |= difference | micros;
      to[i] = HlcTimestamp.fromWire(micros << HlcTimestamp.LOGICAL_BITS | logical);
    }
    return (outside | (HlcTimestamp.MAX_MICROS - micros)) >= 0;
  }

  /** Eight entries of a width take whole bytes. */
  static void unpackEights(
      byte[] in, int start, int width, long base, long[] to, int at, int count) {
    long mask = (1L << width) - 1;
    for (int i = at, from = start; i < at + count; i += 8, from += width) {
      long load = (long) LONGS.get(in, from);
      to[i] = base + (load & mask);
      to[i + 1] = base + ((load >>> width) & mask);
      to[i + 2] = base + ((load >>> (2 * width)) & mask);
      to[i + 3] = base + ((load >>> (3 * width)) & mask);
      to[i + 4] = base + ((load >>> (4 * width)) & mask);
      to[i + 5] = base + ((load >>> (5 * width)) & mask);
      to[i + 6] = base + ((load >>> (6 * width)) & mask);
      to[i + 7] = base + ((load >>> (7 * width)) & mask);
    }
  }

  static void unpackEights(byte[] in, int start, int width, int base, int[] to, int at, int count) {
    int mask = (1 << width) - 1;
    for (int i = at, from = start; i < at + count; i += 8, from += width) {
      long load = (long) LONGS.get(in, from);
      to[i] = base + ((int) load & mask);
      to[i + 1] = base + ((int) (load >>> width) & mask);
      to[i + 2] = base + ((int) (load >>> (2 * width)) & mask);
      to[i + 3] = base + ((int) (load >>> (3 * width)) & mask);
      to[i + 4] = base + ((int) (load >>> (4 * width)) & mask);
      to[i + 5] = base + ((int) (load >>> (5 * width)) & mask);
      to[i + 6] = base + ((int) (load >>> (6 * width)) & mask);
      to[i + 7] = base + ((int) (load >>> (7 * width)) & mask);
    }
  }

  static void unpackFours(
      byte[] in, int start, int width, long base, long[] to, int at, int count) {
    long mask = (1L << width) - 1;
    for (int i = 0, bit = 0; i < count; i += 4, bit += 4 * width) {
      long load = (long) LONGS.get(in, start + (bit >>> 3)) >>> (bit & 7);
      to[at + i] = base + (load & mask);
      to[at + i + 1] = base + ((load >>> width) & mask);
      to[at + i + 2] = base + ((load >>> (2 * width)) & mask);
      to[at + i + 3] = base + ((load >>> (3 * width)) & mask);
    }
  }

  static void unpackTwos(byte[] in, int start, int width, long base, long[] to, int at, int count) {
    long mask = (1L << width) - 1;
    for (int i = 0, bit = 0; i < count; i += 2, bit += 2 * width) {
      long load = (long) LONGS.get(in, start + (bit >>> 3)) >>> (bit & 7);
      to[at + i] = base + (load & mask);
      to[at + i + 1] = base + ((load >>> width) & mask);
    }
  }

  static void unpackRest(
      byte[] in, int start, int width, long base, long[] to, int at, int from, int count) {
    for (int i = from; i < count; i++) {
      to[at + i] = base + entry(in, start, width, i);
    }
  }

  static void accumulate(long base, long[] to, int at, int count) {
    long value = base;
    for (int i = at; i < at + count; i++) {
      value += to[i];
      to[i] = value;
    }
  }

  static long entry(byte[] in, int start, int width, int index) {
    if (width == 0) {
      return 0;
    }
    int bit = index * width;
    long load = (long) LONGS.get(in, start + (bit >>> 3)) >>> (bit & 7);
    return load & (-1L >>> (Long.SIZE - width));
  }
}
