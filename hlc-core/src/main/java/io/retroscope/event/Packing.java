// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The loops that pack the entries of a {@link PackedColumn}, the reverse of {@link Unpacking}. */
final class Packing {
  /*
   * Entries are collected in a long, which is stored as a whole. The methods are small so that each
   * is compiled well by itself.
   */
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Packing() {}

  /**
   * Packs the differences of values from a base.
   *
   * @param width bits of an entry, 1 to 64; higher bits of the differences are 0
   */
  static void pack(long[] values, int from, int to, long base, int width, byte[] bytes, int start) {
    long pending = 0;
    int bits = 0;
    int at = start;
    for (int i = from; i < to; i++) {
      long entry = values[i] - base;
      pending |= entry << bits;
      bits += width;
      if (bits >= Long.SIZE) {
        LONG.set(bytes, at, pending);
        at += Long.BYTES;
        bits -= Long.SIZE;
        pending = bits == 0 ? 0 : entry >>> (width - bits);
      }
    }
    putRest(pending, bits, bytes, at);
  }

  /** Packs what the differences of successive values are above a step; see {@link #pack}. */
  static void packSteps(
      long[] values, int from, int to, long base, long step, int width, byte[] bytes, int start) {
    long pending = 0;
    int bits = 0;
    int at = start;
    long previous = base;
    for (int i = from; i < to; i++) {
      long entry = values[i] - previous - step;
      previous = values[i];
      pending |= entry << bits;
      bits += width;
      if (bits >= Long.SIZE) {
        LONG.set(bytes, at, pending);
        at += Long.BYTES;
        bits -= Long.SIZE;
        pending = bits == 0 ? 0 : entry >>> (width - bits);
      }
    }
    putRest(pending, bits, bytes, at);
  }

  private static void putRest(long pending, int bits, byte[] bytes, int start) {
    for (int done = 0; done < bits; done += Byte.SIZE) {
      bytes[start + done / Byte.SIZE] = (byte) (pending >>> done);
    }
  }
}
