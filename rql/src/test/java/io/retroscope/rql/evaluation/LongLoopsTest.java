// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static io.retroscope.rql.cut.QuietRule.FALSE;
import static io.retroscope.rql.cut.QuietRule.NULL;
import static io.retroscope.rql.cut.QuietRule.TRUE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/** Each operation over pairs of numbers near its limits, one at a time and among others. */
class LongLoopsTest {
  private static final long[] NUMBERS = {
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    Integer.MIN_VALUE,
    -3_037_000_500L,
    -2,
    -1,
    0,
    1,
    2,
    7,
    3_037_000_500L,
    Integer.MAX_VALUE,
    1L << 32,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };

  private interface Loop {
    int run(long[] a, long[] b, int size, long[] to);
  }

  @Test
  void add_anyPair_isExactOrUnknown() {
    check(LongLoops::add, Math::addExact);
  }

  @Test
  void subtract_anyPair_isExactOrUnknown() {
    check(LongLoops::subtract, Math::subtractExact);
  }

  @Test
  void multiply_anyPair_isExactOrUnknown() {
    check(LongLoops::multiply, Math::multiplyExact);
  }

  @Test
  void remainder_anyPair_isExactOrUnknown() {
    check(LongLoops::remainder, (a, b) -> a % b);
  }

  @Test
  void divide_anyPair_isExactOrUnknown() {
    check(
        LongLoops::divide,
        (a, b) -> a == Long.MIN_VALUE && b == -1 ? Math.addExact(Long.MAX_VALUE, 1) : a / b);
  }

  private static void check(Loop loop, LongBinaryOperator exact) {
    Random random = new Random(1);
    for (long a : NUMBERS) {
      for (long b : NUMBERS) {
        int size = 1 + random.nextInt(9);
        int place = random.nextInt(size);
        long[] left = new long[size + 1];
        long[] right = new long[size + 1];
        Arrays.fill(right, 1);
        left[place] = a;
        right[place] = b;
        long[] to = new long[size];
        int kind = loop.run(left, right, size, to);
        String what = a + " and " + b;
        try {
          long expected = exact.applyAsLong(a, b);
          assertThat(kind).as(what).isEqualTo(LongTerm.KNOWN);
          assertThat(to[place]).as(what).isEqualTo(expected);
        } catch (ArithmeticException e) {
          assertThat(kind).as(what).isEqualTo(LongTerm.UNKNOWN);
        }
      }
    }
  }

  @Test
  void junctions_ofEachPairOfTruths_areThoseOfThreeValues() {
    byte[] left = {FALSE, FALSE, FALSE, NULL, NULL, NULL, TRUE, TRUE, TRUE};
    byte[] right = {FALSE, NULL, TRUE, FALSE, NULL, TRUE, FALSE, NULL, TRUE};
    byte[] and = right.clone();
    LongLoops.min(left, and.length, and);
    assertThat(and).containsExactly(FALSE, FALSE, FALSE, FALSE, NULL, NULL, FALSE, NULL, TRUE);
    byte[] or = right.clone();
    LongLoops.max(left, or.length, or);
    assertThat(or).containsExactly(FALSE, NULL, TRUE, NULL, NULL, TRUE, TRUE, TRUE, TRUE);
    byte[] not = {FALSE, NULL, TRUE, FALSE};
    LongLoops.invert(not, 3);
    assertThat(not).as("NOT of the first three").containsExactly(TRUE, NULL, FALSE, FALSE);
    long[] counts = {5, 5, 5};
    LongLoops.countTrue(new byte[] {FALSE, NULL, TRUE}, 3, counts);
    assertThat(counts).containsExactly(5, 5, 6);
  }
}
