// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fixed schedules of a writer and the drainer. One of them is stopped at a step of the ring, the
 * clock or the repairs, and the other one's steps run there on the same thread, so that each
 * schedule is deterministic.
 */
class InterleavingTest {
  private static final int CAPACITY = 4;

  private long nanos;
  private final Counters counters = new Counters();
  private final SteppedClock physical = new SteppedClock();
  private final HybridLogicalClock clock = new HybridLogicalClock(physical);
  private final SteppedRing ring = new SteppedRing(CAPACITY, 1 << 20);
  private final SteppedRepairs repairs = new SteppedRepairs(counters.unrepaired, 1 << 20);
  private final EventWriter writer =
      new EventWriter(ring, clock, repairs, new Admission(100, counters, () -> nanos), counters);
  private final CheckedMemory sink = new CheckedMemory();
  private final Drainer drainer =
      new Drainer(
          ring,
          clock,
          new BlockAssembler("zk1", "5f2c", sink, counters),
          repairs,
          counters,
          1,
          () -> nanos);
  private final VariableHandle variable = new VariableHandle("setd", "r1");

  /** A sink that keeps the blocks and checks each against the promises before it. */
  private static final class CheckedMemory implements EventSink {
    final PromiseCheck promises = new PromiseCheck();
    final MemorySink memory = new MemorySink();

    @Override
    public void accept(EventBlock block) {
      promises.accept(block);
      memory.accept(block);
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  /** The calls of application threads. */
  private enum Call {
    CHANGE,
    TEXT,
    LINE,
    SEND,
    RECEIVE
  }

  private void make(Call call) {
    switch (call) {
      case CHANGE -> set(1);
      case TEXT -> writer.change(variable, Operation.SET, ValueType.STRING, 0, "follower");
      case LINE -> writer.record("setd", new LogLine("timeout", Map.of()));
      case SEND -> writer.send("net", 0, "zk2", "m1", MessageSample.ALL);
      case RECEIVE -> writer.receive("net", 0, "zk2", "m1", HlcTimestamp.MIN_PACKED);
    }
  }

  private void set(long value) {
    writer.change(variable, Operation.SET, ValueType.LONG, value, null);
  }

  private Slot claim() {
    Slot slot = ring.claim();
    assertThat(slot).isNotNull();
    return slot;
  }

  private Slot claimAndTick() {
    Slot slot = claim();
    clock.tick(slot);
    return slot;
  }

  private boolean publish(Slot slot, long value) {
    slot.change(variable, Operation.SET, ValueType.LONG, value, null);
    return slot.publish();
  }

  private void rounds(int count) {
    for (int i = 0; i < count; i++) {
      nanos++;
      drainer.round();
    }
  }

  private List<Event> events() {
    List<Event> events = new ArrayList<>(sink.memory.events());
    events.sort(Comparator.comparingLong(Event::hlc));
    return events;
  }

  /** The sequence number and value of each change, in the order of their stamps. */
  private List<String> changes() {
    return events().stream().map(event -> event.sequence() + "=" + value(event)).toList();
  }

  private static Value value(Event event) {
    return ((StateChange) event.body()).changes().get(0).value();
  }

  private void assertPromisesKept() {
    assertThat(sink.promises.violations()).isEmpty();
    assertThat(sink.promises.promiseCount()).isPositive();
  }

  @Test
  void promise_writersTickWhileItIsMade_waitsForThem() {
    List<Slot> late = new ArrayList<>();
    physical.atNextReadings(3, () -> late.add(claimAndTick()));
    rounds(3);
    assertThat(late).isNotEmpty();
    for (Slot slot : late) {
      assertThat(publish(slot, 1)).isTrue();
      rounds(1);
    }
    rounds(3);
    assertPromisesKept();
    assertThat(events()).hasSameSizeAs(late);
  }

  @ParameterizedTest
  @EnumSource
  void call_promisesMadeJustBeforeItsClaim_areKept(Call call) {
    ring.beforeNextClaim(() -> rounds(3));
    make(call);
    rounds(3);
    assertPromisesKept();
    assertThat(events()).extracting(Event::sequence).containsExactly(1L);
  }

  @Test
  void promise_writerStallsAfterItsTick_waitsForIt() {
    Slot late = claimAndTick();
    set(2);
    rounds(5);
    assertThat(publish(late, 1)).isTrue();
    rounds(3);
    assertPromisesKept();
    assertThat(changes()).containsExactly("1=" + Value.of(1), "2=" + Value.of(2));
  }

  @Test
  void receive_dropped_movesTheClockAllTheSame() {
    for (int i = 0; i < CAPACITY; i++) {
      claim();
    }
    long remote = clock.tick() + (5_000_000L << HlcTimestamp.LOGICAL_BITS);
    assertThat(writer.receive("net", 0, "zk2", "m1", remote)).isGreaterThan(remote);
    assertThat(counters.dropped.sum()).isEqualTo(1);
    assertThat(clock.tick()).isGreaterThan(remote);
  }

  @Test
  void receive_closed_movesTheClockAllTheSame() {
    writer.close();
    long remote = clock.tick() + (5_000_000L << HlcTimestamp.LOGICAL_BITS);
    assertThat(writer.receive("net", 0, "zk2", "m1", remote)).isGreaterThan(remote);
    assertThat(clock.tick()).isGreaterThan(remote);
  }

  @Test
  void change_slotReplacedJustAfterItsClaim_isRecordedInItsOwnPlace() {
    ring.afterNextClaim(() -> rounds(1));
    set(1);
    rounds(1);
    assertThat(changes()).containsExactly("1=" + Value.of(1));
  }

  @Test
  void straggler_othersGoAFullLapOn_keepTheirOwnSlots() {
    Slot late = claimAndTick();
    List<String> expected = new ArrayList<>();
    for (long i = 2; i <= 2 * CAPACITY + 1; i++) {
      set(i);
      rounds(1);
      expected.add(i + "=" + Value.of(i));
    }
    assertThat(changes()).isEqualTo(expected);
    assertThat(publish(late, 1)).isTrue();
    rounds(1);
    expected.add(0, "1=" + Value.of(1));
    assertThat(changes()).isEqualTo(expected);
  }

  @Test
  void change_claimsASlotAsSoonAsItIsReleased_isRecorded() {
    for (long i = 1; i <= CAPACITY; i++) {
      set(i);
    }
    ring.afterNextRelease(() -> set(CAPACITY + 1));
    rounds(3);
    assertThat(counters.dropped.sum()).isZero();
    assertThat(changes()).hasSize(CAPACITY + 1).endsWith("5=" + Value.of(5));
  }

  @Test
  void change_repairRecordedJustBeforeItSupersedesThat_isTheNewer() {
    repairs.dropped(variable, new Change(Operation.SET, "r1", Value.of(1)));
    repairs.beforeNextSupersede(() -> rounds(1));
    set(2);
    rounds(3);
    assertThat(counters.repaired.sum()).isEqualTo(1);
    assertThat(changes()).containsExactly("0=" + Value.of(1), "1=" + Value.of(2));
  }

  @Test
  void record_repairRecordedJustBeforeItSupersedesThat_isTheNewer() {
    repairs.dropped(variable, new Change(Operation.SET, "r1", Value.of(1)));
    repairs.beforeNextSupersede(() -> rounds(1));
    Change newer = new Change(Operation.SET, "r1", Value.of(2));
    writer.record("setd", new StateChange(List.of(newer)));
    rounds(3);
    assertThat(changes()).containsExactly("0=" + Value.of(1), "1=" + Value.of(2));
  }

  @Test
  void repair_newerValueWhileItTicks_isNotRecorded() {
    repairs.dropped(variable, new Change(Operation.SET, "r1", Value.of(1)));
    repairs.beforeNextEntries(() -> physical.atNextReadings(1, () -> set(2)));
    rounds(3);
    assertThat(counters.repaired.sum()).isZero();
    assertThat(changes()).containsExactly("1=" + Value.of(2));
  }

  @Test
  void text_abandonedWhileItsWriterStalls_givesItsMemoryBackOnce() {
    ring.afterNextClaim(
        () -> {
          rounds(1);
          waitForWriters();
          assertThat(counters.abandoned.sum()).isEqualTo(1);
        });
    make(Call.TEXT);
    assertThat(ring.reservedBytes()).isZero();
    make(Call.TEXT);
    assertThat(ring.reservedBytes()).isPositive();
    rounds(2);
    assertThat(ring.reservedBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void call_itsWriterDiesAfterTheClaim_itsMemoryIsGivenBack(Call call) {
    physical.atNextReadings(
        1,
        () -> {
          throw new IllegalStateException("the thread dies");
        });
    try {
      make(call);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("the thread dies");
    }
    rounds(1);
    waitForWriters();
    assertThat(counters.abandoned.sum()).isEqualTo(1);
    assertThat(ring.reservedBytes()).isZero();
  }

  /** The process is stopped, or the clock is changed, while a writer is between its steps. */
  @Test
  void text_clockJumpsWhileItsWriterStalls_isRecorded() {
    ring.afterNextClaim(
        () -> {
          rounds(1);
          nanos += TimeUnit.HOURS.toNanos(1);
          rounds(1);
          nanos -= TimeUnit.HOURS.toNanos(2);
          rounds(1);
          nanos += TimeUnit.HOURS.toNanos(2);
        });
    make(Call.TEXT);
    rounds(2);
    assertThat(counters.abandoned.sum()).isZero();
    assertThat(changes()).hasSize(1);
  }

  private void waitForWriters() {
    for (int i = 0; i < 8; i++) {
      nanos += Drainer.ABANDON_NANOS / 8;
      rounds(1);
    }
  }
}
