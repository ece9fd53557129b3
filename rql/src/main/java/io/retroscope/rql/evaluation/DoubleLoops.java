// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.cut.ValuePacking;

/**
 * Operations on the DOUBLEs at each place of a stretch, given and returned as the numbers that
 * columns hold ({@link ValuePacking}). A result that is not finite, and a divisor of zero, are left
 * to the evaluator, which fails: {@link LongTerm#UNKNOWN} is returned if there is any.
 */
final class DoubleLoops {
  /** The LONGs up to which each has a DOUBLE of its own. */
  static final long MAX_EXACT = 1L << 53;

  /* All exponents are below that of infinities and NaN, so adding the lowest one changes no sign. */
  private static final long LOWEST_EXPONENT = 1L << 52;
  private static final long EXPONENT = 0x7FFL << 52;

  private DoubleLoops() {}

  /** The DOUBLE that has a number. */
  static double value(long number) {
    return Double.longBitsToDouble(ValuePacking.ordered(number));
  }

  /** The number of a finite DOUBLE; that of zero if it is a negative zero, which is equal. */
  static long number(double value) {
    return ValuePacking.ordered(bits(value));
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value + 0.0);
  }

  /** Returns a negative number if the bits are not those of a finite DOUBLE. */
  private static long overflow(long bits) {
    return (bits & EXPONENT) + LOWEST_EXPONENT;
  }

  private static int kind(long overflow) {
    return overflow < 0 ? LongTerm.UNKNOWN : LongTerm.KNOWN;
  }

  static int add(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long bits = bits(value(a[i]) + value(b[i]));
      overflow |= overflow(bits);
      to[i] = ValuePacking.ordered(bits);
    }
    return kind(overflow);
  }

  static int subtract(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long bits = bits(value(a[i]) - value(b[i]));
      overflow |= overflow(bits);
      to[i] = ValuePacking.ordered(bits);
    }
    return kind(overflow);
  }

  static int multiply(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long bits = bits(value(a[i]) * value(b[i]));
      overflow |= overflow(bits);
      to[i] = ValuePacking.ordered(bits);
    }
    return kind(overflow);
  }

  /* The quotient of a finite number and zero is not finite, and neither is the remainder. */

  static int divide(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long bits = bits(value(a[i]) / value(b[i]));
      overflow |= overflow(bits);
      to[i] = ValuePacking.ordered(bits);
    }
    return kind(overflow);
  }

  static int remainder(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long bits = bits(value(a[i]) % value(b[i]));
      overflow |= overflow(bits);
      to[i] = ValuePacking.ordered(bits);
    }
    return kind(overflow);
  }

  /** Converts LONGs, each to the nearest DOUBLE. */
  static void ofLongs(long[] longs, int size, long[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = number((double) longs[i]);
    }
  }

  /** Whether no LONG is so far from zero that the nearest DOUBLE may differ. */
  static boolean areExact(long[] longs, int size) {
    boolean exact = true;
    for (int i = 0; i < size; i++) {
      exact &= -MAX_EXACT <= longs[i] && longs[i] <= MAX_EXACT;
    }
    return exact;
  }
}
