package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

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
