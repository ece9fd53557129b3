// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LikePatternTest {
  @Test
  void matches_ofRandomPatterns_isWhatTryingAllWaysGives() {
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      String pattern = word(random, "ab%_", 6);
      String text = word(random, "ab", 8);
      assertThat(LikePattern.of(pattern).matches(text))
          .as("'%s' LIKE '%s'", text, pattern)
          .isEqualTo(matches(pattern, text));
    }
  }

  @Test
  void matches_withABackslash_takesTheMeaningAway() {
    assertThat(LikePattern.of("a\\_b").matches("a_b")).isTrue();
    assertThat(LikePattern.of("a\\_b").matches("axb")).isFalse();
    assertThat(LikePattern.of("a\\\\%").matches("a\\b")).isTrue();
  }

  @Test
  void matches_ofManyPercents_takesNoExponentialTime() {
    String pattern = "%a".repeat(200) + "b";
    assertThat(LikePattern.of(pattern).matches("a".repeat(20_000))).isFalse();
  }

  /** Backtracking after each mismatch would take 50 billion steps for each of these. */
  @Test
  @Timeout(30)
  void matches_ofALongPieceInALongText_takesLinearTime() {
    String text = "a".repeat(1_000_000);
    String half = "a".repeat(100_000);
    assertThat(LikePattern.of("%" + half + "b%").matches(text)).isFalse();
    assertThat(LikePattern.of("%" + half + "%").matches(text)).isTrue();
    String any = "a".repeat(2_000) + "_";
    assertThat(LikePattern.of("%" + any + "b%").matches(text)).isFalse();
    assertThat(LikePattern.of("%" + any + "b%").matches(text + "b" + text)).isTrue();
  }

  @Test
  void matches_ofPiecesLongerThanAWord_findsThemAtTheirEnds() {
    Random random = new Random(12);
    for (int i = 0; i < 300; i++) {
      String piece = "x" + word(random, "ab", 200);
      String text = word(random, "ab", 300) + piece + word(random, "ab", 300);
      String pattern = "%" + piece.replace('a', random.nextBoolean() ? '_' : 'a') + "%";
      assertThat(LikePattern.of(pattern).matches(text))
          .as("'%s' LIKE '%s'", text, pattern)
          .isTrue();
      assertThat(LikePattern.of(pattern).matches(text.replace('x', 'y')))
          .as("'%s' without x LIKE '%s'", text, pattern)
          .isFalse();
    }
  }

  private static String word(Random random, String letters, int max) {
    StringBuilder word = new StringBuilder();
    for (int i = random.nextInt(max + 1); i > 0; i--) {
      word.append(letters.charAt(random.nextInt(letters.length())));
    }
    return word.toString();
  }

  private static boolean matches(String pattern, String text) {
    if (pattern.isEmpty()) {
      return text.isEmpty();
    }
    String rest = pattern.substring(1);
    if (pattern.charAt(0) == '%') {
      return matches(rest, text) || (!text.isEmpty() && matches(pattern, text.substring(1)));
    }
    return !text.isEmpty()
        && (pattern.charAt(0) == '_' || pattern.charAt(0) == text.charAt(0))
        && matches(rest, text.substring(1));
  }
}
