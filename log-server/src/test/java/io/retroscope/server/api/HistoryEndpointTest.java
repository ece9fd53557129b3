// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryEndpointTest {
  private int running;
  private long mostBytes;

  @ParameterizedTest
  @CsvSource({"32, 2", "128, 2", "512, 2", "1024, 4", "2048, 8", "8192, 8"})
  void answer_manyAtATime_leaveMostMemoryToSenders(long budgetMib, int answers) {
    MemoryBudget memory = new MemoryBudget(budgetMib << 20);
    HistoryEndpoint endpoint =
        new HistoryEndpoint(
            new InMemoryEventSource(List.of(), ClockOffsets.UNKNOWN),
            memory,
            new SilenceLimits(1),
            Metrics.unread());

    beginAnother(endpoint, memory);

    assertThat(running).isEqualTo(answers);
    assertThat(mostBytes).isPositive().isLessThanOrEqualTo(memory.totalBytes() / 4);
    assertThat(memory.usedBytes()).isZero();
  }

  /** Begins an answer while the earlier ones are being sent, until one is refused. */
  private void beginAnother(HistoryEndpoint endpoint, MemoryBudget memory) {
    try {
      endpoint.answer(
          view -> "{}",
          text -> {
            running++;
            mostBytes = Math.max(mostBytes, memory.usedBytes());
            beginAnother(endpoint, memory);
          });
    } catch (ProblemException e) {
      assertThat(e).hasMessageContaining(running + " parts are read at a time");
    }
  }
}
