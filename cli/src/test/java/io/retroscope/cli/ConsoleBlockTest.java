// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleBlockTest {
  @Test
  void of_block_hasItsSteps() {
    PageBlock block =
        new PageBlock(
            "p.md",
            2,
            "console test",
            """
            $ one \\
                two
            printed
            $ cat <<END
            > inside
            > END
            inside
            """);
    assertThat(ConsoleBlock.of(block).steps())
        .containsExactly(
            new ConsoleBlock.Step("one \\\n    two", List.of("printed")),
            new ConsoleBlock.Step("cat <<END\ninside\nEND", List.of("inside")));
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
