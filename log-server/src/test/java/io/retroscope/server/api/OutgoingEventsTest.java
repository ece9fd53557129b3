// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.memory.MemoryBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OutgoingEventsTest {
  private static final String LARGE = "x".repeat(400_000);

  @Test
  void offer_largeTexts_areBoundedByTheirBytes() throws Exception {
    OutgoingEvents events = new OutgoingEvents(2_000_000, new MemoryBudget(100_000_000));
    int taken = 0;
    while (events.offer(LARGE, 0)) {
      taken++;
    }
    assertThat(taken).isEqualTo(2);
    assertThat(events.poll(0)).contains(LARGE);
    assertThat(events.offer(LARGE, 0)).isTrue();
  }

  @Test
  void offer_ofManyQueues_isBoundedByTheBudgetOfAll() throws Exception {
    MemoryBudget budget = new MemoryBudget(10_000_000);
    int taken = 0;
    for (int i = 0; i < 64; i++) {
      taken += new OutgoingEvents(8_000_000, budget).offer(LARGE, 0) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(12);
    assertThat(budget.usedBytes()).isLessThanOrEqualTo(10_000_000);
  }

  @Test
  void offer_oneTextBeyondTheBound_isTakenWhereNoneWaits() throws Exception {
    OutgoingEvents events = new OutgoingEvents(100, new MemoryBudget(10_000_000));
    assertThat(events.offer(LARGE, 0)).isTrue();
    assertThat(events.offer("y", 0)).isFalse();
  }

  @Test
  void discard_whatWaits_givesItsMemoryBack() throws Exception {
    MemoryBudget budget = new MemoryBudget(10_000_000);
    OutgoingEvents events = new OutgoingEvents(8_000_000, budget);
    events.offer(LARGE, 0);
    events.discard();

    assertThat(budget.usedBytes()).isZero();
    assertThat(events.offer("y", 0)).isFalse();
    assertThat(events.poll(0)).isEmpty();
  }
}
