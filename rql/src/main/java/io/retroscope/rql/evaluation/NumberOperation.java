// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.state.ValuePacking;
import org.jspecify.annotations.Nullable;

/**
 * The operations on numbers, each defined once for each type, as a loop over many operands. One
 * value is a batch of one, and bounds of the results follow from the results at the corners of the
 * operands' bounds.
 *
 * <p>DOUBLEs are the numbers that columns hold, which have the order of the values.
 */
enum NumberOperation {
  ADD {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        long sum = a[i] + b[i];
        wrong |= (a[i] ^ sum) & (b[i] ^ sum);
        to[i] = sum;
      }
      return wrong >= 0;
    }

    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        wrong |= put(DoubleNumbers.value(a[i]) + DoubleNumbers.value(b[i]), to, i);
      }
      return wrong >= 0;
    }
  },
  SUBTRACT {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        long difference = a[i] - b[i];
        wrong |= (a[i] ^ b[i]) & (a[i] ^ difference);
        to[i] = difference;
      }
      return wrong >= 0;
    }

    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        wrong |= put(DoubleNumbers.value(a[i]) - DoubleNumbers.value(b[i]), to, i);
      }
      return wrong >= 0;
    }
  },
  MULTIPLY {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        long product = a[i] * b[i];
        wrong |= Math.multiplyHigh(a[i], b[i]) ^ (product >> (Long.SIZE - 1));
        to[i] = product;
      }
      return wrong == 0;
    }

    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        wrong |= put(DoubleNumbers.value(a[i]) * DoubleNumbers.value(b[i]), to, i);
      }
      return wrong >= 0;
    }
  },
  DIVIDE {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      for (int i = 0; i < size; i++) {
        if (b[i] == 0 || (b[i] == -1 && a[i] == Long.MIN_VALUE)) {
          return false;
        }
        to[i] = a[i] / b[i];
      }
      return true;
    }

    /** The quotient of a number and zero is not finite. */
    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        wrong |= put(DoubleNumbers.value(a[i]) / DoubleNumbers.value(b[i]), to, i);
      }
      return wrong >= 0;
    }

    @Override
    boolean range(ValueType type, long[] a, long[] b, Corners corners, long[] to) {
      return !mayBeZero(b) && super.range(type, a, b, corners, to);
    }
  },
  REMAINDER {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      for (int i = 0; i < size; i++) {
        if (b[i] == 0) {
          return false;
        }
        to[i] = a[i] % b[i];
      }
      return true;
    }

    /** The remainder of a number and zero is not finite. */
    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      long wrong = 0;
      for (int i = 0; i < size; i++) {
        wrong |= put(DoubleNumbers.value(a[i]) % DoubleNumbers.value(b[i]), to, i);
      }
      return wrong >= 0;
    }

    /** The result has the sign of the dividend, and is nearer to zero than the divisor. */
    @Override
    boolean range(ValueType type, long[] a, long[] b, Corners corners, long[] to) {
      if (a[0] == a[1] && b[0] == b[1]) {
        return super.range(type, a, b, corners, to);
      }
      boolean areLongs = isWhole(type);
      if (mayBeZero(b) || (areLongs && b[0] == Long.MIN_VALUE)) {
        return false;
      }
      // The number of a negated DOUBLE is that with all bits inverted.
      long divisor = b[0] > 0 ? b[1] : areLongs ? -b[0] : ~b[0];
      long most = areLongs ? divisor - 1 : divisor;
      to[0] = a[0] >= 0 ? 0 : Math.max(a[0], areLongs ? -most : ~most);
      to[1] = a[1] <= 0 ? 0 : Math.min(a[1], most);
      return true;
    }
  },
  /** The magnitude of the left operand; the right one does not matter. */
  ABS {
    @Override
    boolean longs(long[] a, long[] b, int size, long[] to) {
      return magnitude(a, 1, size, to);
    }

    @Override
    boolean doubles(long[] a, long[] b, int size, long[] to) {
      return magnitude(a, 0, size, to);
    }

    @Override
    boolean range(ValueType type, long[] a, long[] b, Corners corners, long[] to) {
      boolean fits = super.range(type, a, b, corners, to);
      to[0] = mayBeZero(a) ? 0 : to[0];
      return fits;
    }
  };

  /** Memory for the corners of bounds. */
  static final class Corners {
    private final long[] a = new long[4];
    private final long[] b = new long[4];
    private final long[] results = new long[4];
  }

  /** Computes results from LONGs; returns false if one of them has none. */
  abstract boolean longs(long[] a, long[] b, int size, long[] to);

  /** Computes results from DOUBLEs; returns false if one of them is not finite. */
  abstract boolean doubles(long[] a, long[] b, int size, long[] to);

  /** Whether values of a type are operands. */
  static boolean isNumber(ValueType type) {
    return switch (type) {
      case LONG, DOUBLE -> true;
      case NULL, BOOLEAN, STRING, NESTED -> false;
    };
  }

  /** The type to which operands of two types are converted; null if one of them is no number. */
  static @Nullable ValueType common(ValueType a, ValueType b) {
    return switch (a) {
      case LONG -> isNumber(b) ? b : null;
      case DOUBLE -> isNumber(b) ? a : null;
      case NULL, BOOLEAN, STRING, NESTED -> null;
    };
  }

  /** Whether results of a type are whole, and not rounded. */
  private static boolean isWhole(ValueType type) {
    return switch (type) {
      case LONG -> true;
      case DOUBLE -> false;
      case NULL, BOOLEAN, STRING, NESTED -> throw new AssertionError("the results of a " + type);
    };
  }

  /** Computes results from numbers of a type; returns false if one of them has none. */
  final boolean each(ValueType type, long[] a, long[] b, int size, long[] to) {
    return switch (type) {
      case LONG -> longs(a, b, size, to);
      case DOUBLE -> doubles(a, b, size, to);
      case NULL, BOOLEAN, STRING, NESTED -> throw new AssertionError(this + " of a " + type);
    };
  }

  /**
   * Finds bounds of the results; returns false if any of them may have none. Results are monotonic
   * in each operand, and so is the rounding of LONGs to whole quotients and of DOUBLEs.
   */
  boolean range(ValueType type, long[] a, long[] b, Corners corners, long[] to) {
    for (int i = 0; i < 4; i++) {
      corners.a[i] = a[i >> 1];
      corners.b[i] = b[i & 1];
    }
    long[] all = corners.results;
    boolean have = each(type, corners.a, corners.b, 4, all);
    to[0] = Math.min(Math.min(all[0], all[1]), Math.min(all[2], all[3]));
    to[1] = Math.max(Math.max(all[0], all[1]), Math.max(all[2], all[3]));
    return have;
  }

  /** The number of a DOUBLE 0 is 0. */
  private static boolean mayBeZero(long[] bounds) {
    return bounds[0] <= 0 && bounds[1] >= 0;
  }

  /**
   * Puts a DOUBLE among numbers; returns a negative number if it is not finite. All exponents are
   * below that of infinities and NaN, so that adding the lowest one changes no sign.
   */
  private static long put(double value, long[] to, int at) {
    long bits = Double.doubleToRawLongBits(value + 0.0); // not a negative zero
    to[at] = ValuePacking.ordered(bits);
    return (bits & (0x7FFL << 52)) + (1L << 52);
  }

  /** The step is what a number with all bits inverted lacks to the negated one. */
  private static boolean magnitude(long[] a, long step, int size, long[] to) {
    long wrong = 0;
    for (int i = 0; i < size; i++) {
      long isNegative = a[i] >> (Long.SIZE - 1);
      long magnitude = (a[i] ^ isNegative) + (isNegative & step);
      wrong |= magnitude;
      to[i] = magnitude;
    }
    return wrong >= 0;
  }
}
