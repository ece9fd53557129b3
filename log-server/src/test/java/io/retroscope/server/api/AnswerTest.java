// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AnswerTest {
  private static final List<String> CHARACTERS =
      List.of("a", "\u007f", "\u0080", "\u00e4", "\u20ac", "\ud83d\ude00", "\ud83d", "\n");

  @Test
  void write_textsOfAnyLength_areSentAsUtf8() {
    for (long seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      SentAnswer sent = new SentAnswer();
      Answer answer = new Answer(sent.request(), "text/csv");
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 60; i++) {
        boolean isLong = random.nextInt(20) == 0;
        int length = random.nextInt(isLong ? 80_000 : 9_000);
        String rest = random.nextBoolean() ? "" : CHARACTERS.get(random.nextInt(8));
        String text = "a".repeat(length) + rest + "b";
        expected.append(text);
        char[] characters = (text + "?").toCharArray();
        assertThat(random.nextBoolean() ? answer.write(text) : write(answer, characters)).isTrue();
      }
      answer.end();
      assertThat(sent.bytes())
          .as("seed %d", seed)
          .isEqualTo(expected.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Writes all but the last character. */
  private static boolean write(Answer answer, char[] characters) {
    return answer.write(characters, characters.length - 1);
  }
}
