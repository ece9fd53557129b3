// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.memory.MemoryBudget;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutgoingEventsTest {
  private static final OutgoingEvent LARGE = event("x".repeat(800_000));

  @Test
  void offer_largeTexts_areBoundedByTheirBytes() throws Exception {
    OutgoingEvents events = new OutgoingEvents(2_000_000, new MemoryBudget(100_000_000));
    int taken = 0;
    while (events.offer(LARGE, 0)) {
      taken++;
    }
    assertThat(taken).isEqualTo(2);
    assertThat(events.take().remaining()).isEqualTo(LARGE.length());
    assertThat(events.offer(LARGE, 0)).isFalse(); // The connection has not accepted it.
    events.written();
    assertThat(events.offer(LARGE, 0)).isTrue();
  }

  /** Otherwise many slow clients would take memory without a bound. */
  @Test
  void take_muchThatWaits_isBounded() throws Exception {
    OutgoingEvents events = new OutgoingEvents(2_000_000, new MemoryBudget(100_000_000));
    int taken = fill(events, "x".repeat(1_000));
    int writes = 0;
    for (ByteBuffer next = events.take(); next.hasRemaining(); next = events.take()) {
      assertThat(next.remaining()).isLessThanOrEqualTo(OutgoingEvents.TAKEN_BYTES);
      events.written();
      writes++;
    }
    assertThat(writes).isBetween(taken / 64, taken / 60 + 1);
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
    assertThat(events.offer(event("y"), 0)).isFalse();
    events.take();
    assertThat(events.offer(event("y"), 0)).isFalse();
    assertThat(events.isHalfEmpty()).isFalse();
    events.written();
    assertThat(events.isHalfEmpty()).isTrue();
  }

  /** Rows come many at a time, while most queues are empty. */
  @Test
  void offer_whileOtherQueuesAreEmpty_hasMoreRoomThanItsShare() throws Exception {
    MemoryBudget budget = new MemoryBudget(8 << 20);
    QueueRoom room = new QueueRoom(budget, 1 << 20, () -> 1_000);
    OutgoingEvents first = new OutgoingEvents(room, 1);
    OutgoingEvents second = new OutgoingEvents(room, 1);
    OutgoingEvents last = new OutgoingEvents(room, 1);
    String text = "x".repeat(100);
    int bytes = 64 + event(text).length();

    int taken = fill(first, text) * bytes;
    assertThat(taken)
        .isBetween((1 << 20) / 3 - bytes, (1 << 20) / 3 + bytes); // Half of what it leaves.
    assertThat(fill(second, text) * bytes).isBetween(taken / 2, taken);
    first.discard();
    assertThat(fill(last, text) * bytes).isBetween(taken / 2, taken);
    second.discard();
    last.discard();
    assertThat(fill(new OutgoingEvents(room, 1), text) * bytes).isEqualTo(taken);
  }

  private static int fill(OutgoingEvents events, String text) throws InterruptedException {
    int taken = 0;
    while (events.offer(event(text), 0)) {
      taken++;
    }
    return taken;
  }

  /** The end of a stream is not lost where others use the memory. */
  @Test
  void offerAnyway_withoutMemory_isQueuedWithoutACharge() throws Exception {
    MemoryBudget budget = new MemoryBudget(2_000);
    OutgoingEvents events = new OutgoingEvents(1_000, budget);
    assertThat(events.offer(event("row"), 0)).isTrue();
    try (MemoryBudget.Charge others = budget.charge()) {
      assertThat(others.tryResize(1_000)).isTrue();
      try (MemoryBudget.Charge more = budget.charge()) {
        assertThat(more.tryResize(2_000 - budget.usedBytes())).isTrue();
        events.offerAnyway(event("end"));
        assertThat(WrittenEvents.takenFrom(events))
            .containsExactly("event: e\ndata: row\n\n", "event: e\ndata: end\n\n");
      }
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void discard_whatWaits_givesItsMemoryBack() throws Exception {
    MemoryBudget budget = new MemoryBudget(10_000_000);
    OutgoingEvents events = new OutgoingEvents(8_000_000, budget);
    events.offer(LARGE, 0);
    events.discard();

    assertThat(budget.usedBytes()).isZero();
    assertThat(events.offer(event("y"), 0)).isFalse();
    assertThat(events.take().hasRemaining()).isFalse();
    assertThat(events.isDone()).isTrue();
  }

  /** The last event may have been written before the queue ends. */
  @Test
  void end_whenNothingWaits_callsTheReader() {
    OutgoingEvents events = new OutgoingEvents(1_000, new MemoryBudget(1_000));
    AtomicInteger calls = new AtomicInteger();
    events.readBy(calls::incrementAndGet);
    events.end();
    assertThat(calls).hasValue(1);
  }

  private static OutgoingEvent event(String data) {
    return OutgoingEvent.of("e", data);
  }
}
