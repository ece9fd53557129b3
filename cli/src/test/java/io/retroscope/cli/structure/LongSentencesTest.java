// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Reports the long sentences of all pages, and tests how they are found. */
class LongSentencesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** The list is for writers: a long sentence may be right, so none fails the build. */
  @Test
  void pages_areSearchedForLongSentences(TestReporter reporter) throws IOException {
    List<String> found = LongSentences.in(ROOT);

    reporter.publishEntry(
        "sentences of more than " + LongSentences.MAX_WORDS + " words",
        found.size() + "\n" + String.join("\n", found));
  }

  @Test
  void sentence_ofMoreThanFortyWords_isFound() {
    String long41 = "word ".repeat(40) + "end.";

    assertThat(LongSentences.of("# Title\n\nShort. " + long41 + " Short again.\n"))
        .containsExactly(long41);
    assertThat(LongSentences.of("word ".repeat(39) + "end.\n")).isEmpty();
  }

  @Test
  void colonsAndSemicolons_endNoSentence() {
    String twenty = "word ".repeat(20).strip();

    assertThat(LongSentences.of(twenty + ": " + twenty + "; end.\n"))
        .containsExactly(twenty + ": " + twenty + "; end.");
  }

  @Test
  void backquoteWithinCode_opensNoCode() {
    assertThat(LongSentences.of("It is `` ` ``. " + "word ".repeat(41) + "`x`.\n")).hasSize(1);
  }

  @Test
  void itemsCellsAndCode_areNoPartsOfOneSentence() {
    String twenty = "word ".repeat(20).strip();

    assertThat(LongSentences.of("- " + twenty + "\n- " + twenty + "\n- " + twenty)).isEmpty();
    assertThat(LongSentences.of("| " + twenty + " | " + twenty + " | " + twenty + " |")).isEmpty();
    assertThat(LongSentences.of("```\n" + twenty + twenty + twenty + "\n```\n")).isEmpty();
    assertThat(LongSentences.of(twenty + " `" + twenty + "` " + twenty.substring(5))).isEmpty();
  }
}
