// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static io.retroscope.rql.cut.batch.QuietRule.FALSE;
import static io.retroscope.rql.cut.batch.QuietRule.NULL;
import static io.retroscope.rql.cut.batch.QuietRule.TRUE;

import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;

/**
 * Logic over sets of outcomes: FALSE, NULL, TRUE and a failure. Each connective is defined once,
 * for two outcomes. The tables for two sets follow: a cut has one outcome, and a range several.
 */
final class Truths {
  /** The predicate may fail. */
  static final int FAILURE = 8;

  /** A failure of the left operand comes first; one of the right is hidden if the left decides. */
  static final byte[] AND =
      table((a, b) -> a == FALSE || a == FAILURE ? a : b == FAILURE ? b : Math.min(a, b));

  static final byte[] OR =
      table((a, b) -> a == TRUE || a == FAILURE ? a : b == FAILURE ? b : Math.max(a, b));

  /** Quantifiers try each binding, so that no failure is hidden. */
  static final byte[] EXISTS = table(Math::max);

  static final byte[] FORALL =
      table((a, b) -> a == FAILURE || b == FAILURE ? FAILURE : Math.min(a, b));

  private interface Connective {
    int of(int a, int b);
  }

  private Truths() {}

  /** The results of a connective by two sets, the first one in the upper bits of the index. */
  private static byte[] table(Connective connective) {
    byte[] table = new byte[256];
    for (int sets = 0; sets < table.length; sets++) {
      for (int a = FALSE; a <= FAILURE; a <<= 1) {
        for (int b = FALSE; b <= FAILURE; b <<= 1) {
          boolean has = ((sets >> 4) & a) != 0 && (sets & b) != 0;
          table[sets] |= (byte) (has ? connective.of(a, b) : 0);
        }
      }
    }
    return table;
  }

  /** Applies a connective to two sets of outcomes. */
  static int of(byte[] table, int a, int b) {
    return table[a << 4 | b];
  }

  /** Applies a connective to each pair of sets. */
  static void each(byte[] table, byte[] a, byte[] b, int size, byte[] to) {
    for (int i = 0; i < size; i++) {
      to[i] = table[a[i] << 4 | b[i]];
    }
  }

  /** The outcomes that any of some sets has. */
  static int union(byte[] sets, int size) {
    int all = 0;
    for (int i = 0; i < size; i++) {
      all |= sets[i];
    }
    return all;
  }

  /** The operator NOT. */
  static int not(int set) {
    return (set & (NULL | FAILURE)) | (set & TRUE) >> 2 | (set & FALSE) << 2;
  }

  /** Compares each pair of numbers; each truth is FALSE or TRUE. */
  static void compare(BinaryOperator operator, long[] a, long[] b, int size, byte[] to) {
    boolean ifEqual = operator.holds(0);
    if (operator.kind() == OperatorKind.EQUALITY) {
      equal(a, b, size, ifEqual ? TRUE : FALSE, to);
    } else if (operator.holds(-1) == ifEqual) {
      less(b, a, size, ifEqual ? FALSE : TRUE, to); // a <= b unless b < a
    } else {
      less(a, b, size, ifEqual ? FALSE : TRUE, to); // a >= b unless a < b
    }
  }

  private static void less(long[] a, long[] b, int size, int ifLess, byte[] to) {
    byte yes = (byte) ifLess;
    byte no = (byte) not(ifLess);
    for (int i = 0; i < size; i++) {
      to[i] = a[i] < b[i] ? yes : no;
    }
  }

  private static void equal(long[] a, long[] b, int size, int ifEqual, byte[] to) {
    byte yes = (byte) ifEqual;
    byte no = (byte) not(ifEqual);
    for (int i = 0; i < size; i++) {
      to[i] = a[i] == b[i] ? yes : no;
    }
  }

  /** Compares numbers within bounds: an order is decided at the corners. */
  static int range(BinaryOperator operator, long[] a, long[] b) {
    if (operator.kind() == OperatorKind.ORDER) {
      return order(operator, a[0], b[1]) | order(operator, a[1], b[0]);
    }
    boolean mayBeEqual = a[0] <= b[1] && b[0] <= a[1];
    boolean mayDiffer = a[0] != a[1] || b[0] != b[1] || a[0] != b[0];
    int equal = (mayBeEqual ? TRUE : 0) | (mayDiffer ? FALSE : 0);
    return operator.holds(0) ? equal : not(equal);
  }

  private static int order(BinaryOperator operator, long a, long b) {
    return operator.holds(Long.compare(a, b)) ? TRUE : FALSE;
  }
}
