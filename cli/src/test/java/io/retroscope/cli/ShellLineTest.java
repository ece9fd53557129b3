// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShellLineTest {
  @Test
  void commands_withQuotesAndComments_haveTheirWords() {
    assertThat(ShellLine.commands("a -c 'x y; z' \"q \\\" r\" b\\ c  # d 'e\nsecond"))
        .containsExactly(List.of("a", "-c", "x y; z", "q \" r", "b c"), List.of("second"));
  }

  @Test
  void commands_betweenOperators_areSeparate() {
    assertThat(ShellLine.commands("for n in $(seq 1 5); do\n  a \\\n    b || true\ndone"))
        .containsExactly(
            List.of("for", "n", "in", "$(seq 1 5)"),
            List.of("do"),
            List.of("a", "b"),
            List.of("true"),
            List.of("done"));
  }

  @Test
  void commands_withRedirections_doNotHaveThem() {
    assertThat(ShellLine.commands("a - < in.txt >out 2>&1 | b 2"))
        .containsExactly(List.of("a", "-"), List.of("b", "2"));
  }
}
