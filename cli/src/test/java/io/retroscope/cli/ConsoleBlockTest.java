// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleBlockTest {
  private static final List<String> PAGE =
      """
      text
      ```console test
      $ one \\
          two
      printed
      $ cat <<END
      > inside
      > END
      inside
      ```
      ```sh
      $ not ours
      ```
      ```console
      $ three
      ```
      """
          .lines()
          .toList();

  @Test
  void of_page_findsBlocksAndTheirSteps() {
    assertThat(ConsoleBlock.of("p.md", PAGE))
        .containsExactly(
            new ConsoleBlock(
                "p.md",
                2,
                true,
                List.of(
                    new ConsoleBlock.Step("one \\\n    two", List.of("printed")),
                    new ConsoleBlock.Step("cat <<END\ninside\nEND", List.of("inside")))),
            new ConsoleBlock(
                "p.md", 14, false, List.of(new ConsoleBlock.Step("three", List.of()))));
  }

  @Test
  void prints_dots_standForAnything() {
    ConsoleBlock.Step step =
        new ConsoleBlock.Step("x", List.of("took ... s (exactly)", "...", "end"));
    assertThat(step.prints("took 0.5 s (exactly)\na\nb\nend\n")).isTrue();
    assertThat(step.prints("took 0.5 s (exactly)\nend\n")).isTrue();
    assertThat(step.prints("took 0.5 s (exactl)\nend\n")).isFalse();
    assertThat(step.prints("took 0.5 s (exactly)\nend\nmore\n")).isFalse();
  }
}
