// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.ValueType;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainerTest {
  private static final Duration POLL = Duration.ofMillis(1);
  private static final long PATIENCE = Duration.ofSeconds(60).toNanos();

  /** Advances slightly with each reading; a test skips the quarter of a second. */
  private final AtomicLong time = new AtomicLong();

  private final MemorySink sink = new MemorySink();
  private final Counters counters = new Counters();
  private final EventRing ring = new EventRing(4, 1 << 20);
  private final HybridLogicalClock clock = new HybridLogicalClock();
  private final VariableHandle variable = new VariableHandle("setd", "r1");
  private final Drainer drainer =
      new Drainer(
          ring,
          clock,
          new BlockAssembler("zk1", "5f2c", sink, counters),
          new Repairs(counters.unrepaired, 1 << 20),
          counters,
          10_000,
          () -> time.addAndGet(1_000));

  @BeforeEach
  void start() {
    new Thread(drainer, "drainer").start();
  }

  @AfterEach
  void stop() {
    assertThat(drainer.stop(PATIENCE)).isTrue();
  }

  private Slot claim() {
    Slot slot = ring.claim();
    assertThat(slot).isNotNull();
    return slot;
  }

  private boolean fillAndPublish(Slot slot, long value) {
    clock.tick(slot);
    slot.change(variable, Operation.SET, ValueType.LONG, value, null);
    return slot.publish();
  }

  private List<Long> sequences() {
    return sink.events().stream().map(Event::sequence).toList();
  }

  @Test
  void drain_writerStalls_othersGoOnAndThePromiseWaits() {
    Slot stalled = claim();
    for (int i = 1; i <= 20; i++) {
      assertThat(fillAndPublish(claim(), i)).isTrue();
      long count = i;
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(POLL)
          .until(() -> sequences().size() == count);
    }
    assertThat(sink.events()).hasSize(20).allMatch(event -> event.hlc() > promised());
    assertThat(fillAndPublish(stalled, 99)).isTrue();
    long last = stalled.hlc;
    await().atMost(Duration.ofSeconds(60)).pollInterval(POLL).until(() -> promised() > last);
    assertThat(sequences()).contains(1L);
  }

  private long promised() {
    List<EventBlock> blocks = sink.blocks();
    return blocks.isEmpty() ? EventBlock.NO_HEARTBEAT : blocks.get(blocks.size() - 1).heartbeat();
  }

  @Test
  void drain_writerNeverPublishes_isAbandonedAndCannotDisturbLaterLaps() {
    Slot stalled = claim();
    for (int i = 0; i < 1_000 && counters.abandoned.sum() == 0; i++) {
      time.addAndGet(Drainer.ABANDON_NANOS / 10);
      LockSupport.parkNanos(POLL.toNanos());
    }
    assertThat(counters.abandoned.sum()).isEqualTo(1);
    for (int i = 0; i < 20; i++) {
      assertThat(fillAndPublish(claim(), i)).isTrue();
      assertThat(drainer.flush(PATIENCE)).isTrue();
    }
    assertThat(fillAndPublish(stalled, 99)).isFalse();
    assertThat(drainer.flush(PATIENCE)).isTrue();
    assertThat(sequences()).hasSize(20).doesNotContain(1L).endsWith(21L);
  }

  @Test
  void heartbeat_idle_promisesKeepComing() {
    await().atMost(Duration.ofSeconds(60)).pollInterval(POLL).until(() -> sink.blocks().size() > 5);
    List<EventBlock> blocks = sink.blocks();
    assertThat(blocks).allMatch(EventBlock::isEmpty);
    assertThat(blocks).extracting(EventBlock::heartbeat).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void seal_afterwards_nothingIsClaimed() {
    fillAndPublish(claim(), 1);
    assertThat(drainer.stop(PATIENCE)).isTrue();
    assertThat(ring.claim()).isNull();
    assertThat(sequences()).containsExactly(1L, 2L);
  }
}
