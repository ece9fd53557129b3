// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;

/**
 * Operations on the LONGs at each place of a stretch, in loops that the compiler can turn into
 * vector instructions. Those that may overflow return {@link LongTerm#UNKNOWN} if any does.
 */
final class LongLoops {
  private static final byte TRUE = QuietRule.TRUE;
  private static final byte FALSE = QuietRule.FALSE;

  private LongLoops() {}

  static int add(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long sum = a[i] + b[i];
      overflow |= (a[i] ^ sum) & (b[i] ^ sum);
      to[i] = sum;
    }
    return kind(overflow < 0);
  }

  static int subtract(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long difference = a[i] - b[i];
      overflow |= (a[i] ^ b[i]) & (a[i] ^ difference);
      to[i] = difference;
    }
    return kind(overflow < 0);
  }

  static int multiply(long[] a, long[] b, int size, long[] to) {
    long overflow = 0;
    for (int i = 0; i < size; i++) {
      long product = a[i] * b[i];
      overflow |= Math.multiplyHigh(a[i], b[i]) ^ (product >> (Long.SIZE - 1));
      to[i] = product;
    }
    return kind(overflow != 0);
  }

  static int divide(long[] a, long[] b, int size, long[] to) {
    for (int i = 0; i < size; i++) {
      if (b[i] == 0 || (b[i] == -1 && a[i] == Long.MIN_VALUE)) {
        return LongTerm.UNKNOWN;
      }
      to[i] = a[i] / b[i];
    }
    return LongTerm.KNOWN;
  }

  static int remainder(long[] a, long[] b, int size, long[] to) {
    for (int i = 0; i < size; i++) {
      if (b[i] == 0) {
        return LongTerm.UNKNOWN;
      }
      to[i] = a[i] % b[i];
    }
    return LongTerm.KNOWN;
  }

  /** The magnitudes of LONGs, or else of the numbers of DOUBLEs. */
  static int magnitude(long[] a, boolean areLongs, int size, long[] to) {
    long overflow = 0;
    long step = areLongs ? 1 : 0;
    for (int i = 0; i < size; i++) {
      long isNegative = a[i] >> (Long.SIZE - 1);
      long magnitude = (a[i] ^ isNegative) + (isNegative & step);
      overflow |= magnitude;
      to[i] = magnitude;
    }
    return kind(overflow < 0);
  }

  private static int kind(boolean overflows) {
    return overflows ? LongTerm.UNKNOWN : LongTerm.KNOWN;
  }

  /** Compares each number with another one; the truths are FALSE or TRUE. */
  static void compare(BinaryOperator operator, long[] a, long[] b, int size, byte[] to) {
    switch (operator) {
      case LESS -> less(a, b, size, TRUE, FALSE, to);
      case LESS_OR_EQUAL -> less(b, a, size, FALSE, TRUE, to);
      case GREATER -> less(b, a, size, TRUE, FALSE, to);
      case GREATER_OR_EQUAL -> less(a, b, size, FALSE, TRUE, to);
      case EQUAL -> equal(a, b, size, TRUE, FALSE, to);
      case NOT_EQUAL -> equal(a, b, size, FALSE, TRUE, to);
      default -> throw new AssertionError("no comparison: " + operator);
    }
  }

  /** Compares each number with a constant; the truths are FALSE or TRUE. */
  static void compare(BinaryOperator operator, long[] a, long constant, int size, byte[] to) {
    switch (operator) {
      case LESS -> less(a, constant, size, TRUE, FALSE, to);
      case LESS_OR_EQUAL -> greater(a, constant, size, FALSE, TRUE, to);
      case GREATER -> greater(a, constant, size, TRUE, FALSE, to);
      case GREATER_OR_EQUAL -> less(a, constant, size, FALSE, TRUE, to);
      case EQUAL -> equal(a, constant, size, TRUE, FALSE, to);
      case NOT_EQUAL -> equal(a, constant, size, FALSE, TRUE, to);
      default -> throw new AssertionError("no comparison: " + operator);
    }
  }

  private static void less(long[] a, long constant, int size, byte yes, byte no, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = a[i] < constant ? yes : no;
    }
  }

  private static void greater(long[] a, long constant, int size, byte yes, byte no, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = a[i] > constant ? yes : no;
    }
  }

  private static void equal(long[] a, long constant, int size, byte yes, byte no, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = a[i] == constant ? yes : no;
    }
  }

  private static void less(long[] a, long[] b, int size, byte yes, byte no, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = a[i] < b[i] ? yes : no;
    }
  }

  private static void equal(long[] a, long[] b, int size, byte yes, byte no, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = a[i] == b[i] ? yes : no;
    }
  }

  /** AND: the lower one of FALSE, NULL and TRUE. */
  static void min(byte[] a, int size, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = (byte) Math.min(a[i], to[i]);
    }
  }

  /** OR: the higher one of FALSE, NULL and TRUE. */
  static void max(byte[] a, int size, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = (byte) Math.max(a[i], to[i]);
    }
  }

  /** Adds one where a truth is TRUE. */
  static void countTrue(byte[] truths, int size, long[] to) {
    for (int i = 0; i < size; i++) {
      to[i] += truths[i] == TRUE ? 1 : 0;
    }
  }

  /** NOT: TRUE for FALSE, and FALSE for TRUE. */
  static void invert(byte[] truths, int size) {
    for (int i = 0; i < size; i++) {
      truths[i] = truths[i] == QuietRule.NULL ? QuietRule.NULL : (byte) (TRUE + FALSE - truths[i]);
    }
  }
}
