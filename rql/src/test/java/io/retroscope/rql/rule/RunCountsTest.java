// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RunCountsTest {
  @Test
  void steps_betweenTwoDurations_areRoundNumbersAndBothEnds() {
    assertThat(RunCounts.steps(10_000, 100_000))
        .containsExactly(10_000L, 20_000L, 50_000L, 100_000L);
    assertThat(RunCounts.steps(7, 30)).containsExactly(7L, 10L, 20L, 30L);
    assertThat(RunCounts.steps(5, 5)).isEqualTo(List.of(5L));
    assertThat(RunCounts.steps(1, 86_400_000_000L))
        .hasSizeBetween(30, 40)
        .endsWith(86_400_000_000L);
    assertThat(RunCounts.steps(1, Long.MAX_VALUE)).hasSize(58).endsWith(Long.MAX_VALUE);
  }
}
