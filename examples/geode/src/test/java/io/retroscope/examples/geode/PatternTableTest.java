// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PatternTableTest {
  @Test
  void text_twoPatterns_hasMediansAndTheRanking() {
    PatternTable table = new PatternTable();
    for (long micros : new long[] {900, 100, 200}) {
      table.add(Pattern.NO_WAIT, 10, micros * 1_000);
      table.add(Pattern.REPLICATE, 10, micros * 2_000);
    }
    table.add(Pattern.NO_WAIT, 10_000, 5_000_000);
    table.add(Pattern.REPLICATE, 10_000, 4_000_000);
    assertThat(table.text())
        .isEqualTo(
            """
            seconds per message       10 B    10000 B
            no-wait               0.000200   0.005000
            replicate             0.000400   0.004000
            replicate < no-wait
            """);
  }

  @Test
  void answer_itsOwnText_isEqual() {
    ServerAnswer answer = new ServerAnswer(17, "g1 12", 3, List.of(1, 3, 4));
    assertThat(ServerAnswer.parse(answer.text())).isEqualTo(answer);
    ServerAnswer empty = new ServerAnswer(0, "", 0, List.of());
    assertThat(ServerAnswer.parse(empty.text())).isEqualTo(empty);
  }
}
