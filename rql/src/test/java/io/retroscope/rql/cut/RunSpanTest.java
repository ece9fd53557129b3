// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunSpanTest {
  private static RunSpan run(String name, long from, long to, String predecessor) {
    return new RunSpan("n", name, new HlcRange(from, to), predecessor);
  }

  private static Overlap overlap(long from, long to, boolean restart) {
    return new Overlap("n", new HlcRange(from, to), restart);
  }

  @Test
  void overlaps_runsInOrder_areNone() {
    assertThat(RunSpan.overlaps(List.of(run("a", 1, 5, ""), run("b", 6, 9, "a")))).isEmpty();
  }

  @Test
  void overlaps_restartWithAnOlderClock_isOneWhereverItsStampsAre() {
    RunSpan before = run("a", 100, 110, "");
    assertThat(RunSpan.overlaps(List.of(before, run("b", 105, 120, "a"))))
        .containsExactly(overlap(105, 110, true));
    assertThat(RunSpan.overlaps(List.of(before, run("b", 90, 105, "a"))))
        .containsExactly(overlap(100, 105, true));
    assertThat(RunSpan.overlaps(List.of(before, run("b", 10, 50, "a"))))
        .containsExactly(overlap(10, 110, true));
  }

  @Test
  void overlaps_runsWithoutAPredecessor_areNoRestart() {
    assertThat(RunSpan.overlaps(List.of(run("a", 100, 110, ""), run("b", 90, 105, ""))))
        .containsExactly(overlap(100, 105, false));
    assertThat(RunSpan.overlaps(List.of(run("a", 100, 110, ""), run("b", 10, 50, "")))).isEmpty();
  }
}
