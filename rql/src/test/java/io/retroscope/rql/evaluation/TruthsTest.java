// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static io.retroscope.rql.cut.batch.QuietRule.FALSE;
import static io.retroscope.rql.cut.batch.QuietRule.NULL;
import static io.retroscope.rql.cut.batch.QuietRule.TRUE;
import static io.retroscope.rql.cut.batch.QuietRule.UNKNOWN;
import static io.retroscope.rql.evaluation.Truths.FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Connectives over each pair of sets of outcomes. */
class TruthsTest {
  private static final byte[] OUTCOMES = {FALSE, NULL, TRUE, FAILURE};

  /** The result of each pair, by rows of the left operand. */
  private static void check(byte[] table, String expected) {
    StringBuilder results = new StringBuilder();
    for (byte a : OUTCOMES) {
      for (byte b : OUTCOMES) {
        results.append(name(Truths.of(table, a, b)));
      }
      results.append(' ');
    }
    assertThat(results.toString().trim()).isEqualTo(expected);
  }

  private static char name(int outcome) {
    return switch (outcome) {
      case FALSE -> 'f';
      case NULL -> 'n';
      case TRUE -> 't';
      case FAILURE -> '!';
      default -> throw new AssertionError("several outcomes: " + outcome);
    };
  }

  @Test
  void connectives_ofEachPair_areThoseOfThreeValuesAndFailures() {
    check(Truths.AND, "ffff fnn! fnt! !!!!");
    check(Truths.OR, "fnt! nnt! tttt !!!!");
    check(Truths.EXISTS, "fnt! nnt! ttt! !!!!");
    check(Truths.FORALL, "fff! fnn! fnt! !!!!");
  }

  @Test
  void connectives_ofSets_areTheUnionOfAllPairs() {
    byte[][] tables = {Truths.AND, Truths.OR, Truths.EXISTS, Truths.FORALL};
    for (byte[] table : tables) {
      for (int a = 0; a <= UNKNOWN; a++) {
        for (int b = 0; b <= UNKNOWN; b++) {
          int union = 0;
          for (byte one : OUTCOMES) {
            for (byte other : OUTCOMES) {
              boolean has = (a & one) != 0 && (b & other) != 0;
              union |= has ? Truths.of(table, one, other) : 0;
            }
          }
          assertThat(Truths.of(table, a, b)).isEqualTo(union);
        }
      }
    }
  }

  @Test
  void each_withAndWithoutFailures_isThatOfTheTable() {
    byte[][] tables = {Truths.AND, Truths.OR, Truths.EXISTS, Truths.FORALL};
    byte[] left = {FALSE, FALSE, FALSE, NULL, NULL, NULL, TRUE, TRUE, TRUE, UNKNOWN, FALSE};
    byte[] right = {FALSE, NULL, TRUE, FALSE, NULL, TRUE, FALSE, NULL, TRUE, TRUE, UNKNOWN};
    for (byte[] table : tables) {
      for (int size : new int[] {9, 11}) {
        byte[] to = right.clone();
        Truths.each(table, left, to, size, to);
        for (int i = 0; i < size; i++) {
          assertThat((int) to[i]).isEqualTo(Truths.of(table, left[i], right[i]));
        }
      }
    }
  }

  @Test
  void not_ofEachSet_keepsNullAndFailures() {
    assertThat(Truths.not(FALSE)).isEqualTo(TRUE);
    assertThat(Truths.not(NULL)).isEqualTo(NULL);
    assertThat(Truths.not(TRUE | NULL)).isEqualTo(FALSE | NULL);
    assertThat(Truths.not(TRUE | FAILURE)).isEqualTo(FALSE | FAILURE);
    assertThat(Truths.not(UNKNOWN)).isEqualTo(UNKNOWN);
  }
}
