// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.cut.state.ValuePacking;

/** The numbers by which columns hold DOUBLEs, see {@link ValuePacking}. */
final class DoubleNumbers {
  /** The LONGs up to which each has a DOUBLE of its own. */
  static final long MAX_EXACT = 1L << 53;

  private DoubleNumbers() {}

  /** The DOUBLE that has a number. */
  static double value(long number) {
    return Double.longBitsToDouble(ValuePacking.ordered(number));
  }

  /** The number of a finite DOUBLE; that of zero if it is a negative zero, which is equal. */
  static long number(double value) {
    return ValuePacking.ordered(Double.doubleToRawLongBits(value + 0.0));
  }

  /** Converts LONGs, each to the nearest DOUBLE; returns {@code to}. */
  static long[] ofLongs(long[] longs, int size, long[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = number((double) longs[i]);
    }
    return to;
  }

  /** Whether no LONG is so far from zero that the nearest DOUBLE may differ. */
  static boolean areExact(long[] longs, int size) {
    boolean exact = true;
    for (int i = 0; i < size; i++) {
      exact &= isExact(longs[i]);
    }
    return exact;
  }

  /** Whether a LONG is not so far from zero. */
  static boolean isExact(long number) {
    return -MAX_EXACT <= number && number <= MAX_EXACT;
  }
}
