// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.NodeAlignment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockAlignmentTest {
  private static final long START = 1_795_200_000_000_001L;

  private final ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
  private final Machine a = new Machine("a", 40_000);
  private final Machine b = new Machine("b", 0);
  private final Machine c = new Machine("c", -25_000);
  private final List<Event> events = new ArrayList<>();
  private long trueMicros = START;
  private int messageCount;

  /** A node whose clock has a constant offset. */
  private final class Machine {
    private final String name;
    private long offsetMicros;
    private final HybridLogicalClock clock =
        new HybridLogicalClock(this::reading, Long.MAX_VALUE / 4, RemotePolicy.ACCEPT);

    Machine(String name, long offsetMicros) {
      this.name = name;
      this.offsetMicros = offsetMicros;
    }

    long reading() {
      return trueMicros + offsetMicros;
    }

    long log(EventBody body) {
      return add(clock.tick(), body);
    }

    void receive(long remote, EventBody body) {
      long unused = add(clock.observe(remote), body);
    }

    private long add(long hlc, EventBody body) {
      events.add(new Event(name, "net", hlc, reading(), 0, Set.of(), body));
      return hlc;
    }
  }

  private void message(Machine from, Machine to, long delayMicros, boolean recorded) {
    String id = "m" + messageCount++;
    EventBody line = new EventBody.LogLine("work", java.util.Map.of());
    long stamp = from.log(recorded ? new EventBody.Send(to.name, id) : line);
    trueMicros += delayMicros;
    to.receive(stamp, recorded ? new EventBody.Receive(from.name, id) : line);
  }

  private void talk(int rounds, boolean recorded) {
    Random random = new Random(7);
    for (int i = 0; i < rounds; i++) {
      for (Machine from : List.of(a, b, c)) {
        for (Machine to : List.of(a, b, c)) {
          if (from != to) {
            message(from, to, 1_000 + random.nextInt(2_000), recorded);
            trueMicros += 5_000;
          }
        }
      }
    }
  }

  private Offset offset(String node) {
    return alignment.offsets().offset(node, events.get(events.size() - 1).hlc()).orElseThrow();
  }

  @Test
  void offsets_recordedMessages_boundEveryClockFromBothSides() {
    talk(20, true);
    events.forEach(alignment::record);
    assertThat(alignment.driverNode()).contains("a");
    assertThat(offset("b").lowMicros().getAsLong()).isBetween(38_000L, 40_000L);
    assertThat(offset("b").highMicros().getAsLong()).isBetween(40_000L, 42_000L);
    assertThat(offset("c").estimateMicros()).isCloseTo(65_000, within(1_000));
    assertThat(offset("a")).isEqualTo(offset("a")).extracting(Offset::estimateMicros).isEqualTo(0L);
  }

  @Test
  void newestOffsets_againstTheDriver_areWhatTheTableShows() {
    talk(20, true);
    events.forEach(alignment::record);
    for (NodeAlignment row : alignment.offsets().alignment()) {
      assertThat(alignment.newestOffsets("a").get(row.node()))
          .isEqualTo(row.offset().orElseThrow());
    }
    Offset forth = alignment.newestOffsets("b").get("c");
    Offset back = alignment.newestOffsets("c").get("b");
    assertThat(forth.lowMicros().getAsLong()).isEqualTo(-back.highMicros().getAsLong());
    assertThat(alignment.newestOffsets("nobody")).isEmpty();
  }

  @Test
  void offsets_onlyStampsCarried_boundFromBelowAndNameTheDriver() {
    talk(20, false);
    events.forEach(alignment::record);
    assertThat(alignment.driverNode()).contains("a");
    assertThat(offset("c").highMicros()).isEmpty();
    assertThat(offset("c").lowMicros().getAsLong()).isBetween(62_000L, 65_000L);
    assertThat(offset("c").estimateMicros()).isBetween(62_000L, 65_000L);
  }

  @Test
  void offsets_nodesThatNeverMet_areUnknownAndNotZero() {
    a.log(new EventBody.Heartbeat());
    b.log(new EventBody.Heartbeat());
    events.forEach(alignment::record);
    assertThat(alignment.offsets().offset("nobody", START)).isEmpty();
    Optional<Offset> other = alignment.offsets().offset("b", events.get(1).hlc());
    assertThat(other).hasValueSatisfying(o -> assertThat(o.highMicros()).isEmpty());
  }

  @Test
  void offsets_eventsInAnyOrder_giveTheSameIntervalsButForTheStampsLead() {
    talk(30, true);
    events.forEach(alignment::record);
    List<Event> shuffled = new ArrayList<>(events);
    Collections.shuffle(shuffled, new Random(3));
    ClockAlignment other = new ClockAlignment(AlignmentSettings.DEFAULT);
    shuffled.forEach(other::record);
    long hlc = events.get(events.size() / 2).hlc();
    // The uncertainty due to the stamps' lead is known only as they arrive: rho times 65 ms.
    long doubt = 20;
    ClockOffsets first = alignment.offsets();
    ClockOffsets second = other.offsets();
    assertThat(second.referenceNode()).isEqualTo(first.referenceNode());
    assertThat(second.offset("c", hlc).orElseThrow().lowMicros().getAsLong())
        .isCloseTo(first.offset("c", hlc).orElseThrow().lowMicros().getAsLong(), within(doubt));
    assertThat(second.offset("c", hlc).orElseThrow().highMicros().getAsLong())
        .isCloseTo(first.offset("c", hlc).orElseThrow().highMicros().getAsLong(), within(doubt));
  }

  @Test
  void record_block_saysTheSameAsItsEvents() {
    talk(10, true);
    events.forEach(alignment::record);
    ClockAlignment other = new ClockAlignment(AlignmentSettings.DEFAULT);
    other.record(EventBlock.of(events));
    assertThat(other.offsets().alignment()).isEqualTo(alignment.offsets().alignment());
  }

  @Test
  void record_clockSetBack_isReportedWithItsNodeAndSize() {
    talk(20, true);
    c.offsetMicros -= 20_000;
    talk(20, true);
    events.forEach(alignment::record);
    List<NodeAlignment> rows = alignment.offsets().alignment();
    assertThat(rows.get(0).lastStep()).isEmpty();
    assertThat(rows.get(1).lastStep()).isEmpty();
    assertThat(rows.get(2).lastStep().orElseThrow().sizeMicros()).isBetween(5_000L, 20_000L);
    assertThat(offset("c").estimateMicros()).isCloseTo(85_000, within(1_000));
  }

  @Test
  void record_highestClockSetBack_stampsFromBeforeAreNoEvidence() {
    talk(20, false);
    a.offsetMicros -= 30_000;
    trueMicros += 15_000;
    talk(1, false);
    trueMicros += 100_000;
    talk(40, false);
    events.forEach(alignment::record);
    assertThat(alignment.driverNode()).contains("a");
    assertThat(offset("b").lowMicros().getAsLong()).isBetween(7_000L, 10_000L);
  }

  @Test
  void record_stampsAboveTheFloorOfARestart_areNoEvidence() {
    talk(20, false);
    long floor = HlcTimestamp.pack(a.reading() + 200_000);
    events.add(
        new Event(
            "b",
            "",
            floor + 1,
            b.reading(),
            0,
            Set.of(),
            new EventBody.Start("2", floor, "1", EventBody.Spill.COMPLETE)));
    c.receive(floor + 1, new EventBody.Heartbeat());
    events.forEach(alignment::record);
    assertThat(alignment.offsets().offset("c", floor).flatMap(this::low)).isNotPresent();
    trueMicros += 500_000;
    talk(20, false);
    events.forEach(alignment::record);
    assertThat(offset("c").lowMicros().getAsLong()).isBetween(60_000L, 65_000L);
  }

  @Test
  void record_restartBelowEarlierStamps_isNoEvidenceWhereTheRunsOverlap() {
    talk(20, false);
    long now = a.reading();
    // The first run of b had observed a remote stamp far ahead; the second begins below it.
    record("b", now + 300_000, b.reading(), new EventBody.Heartbeat());
    record(
        "b",
        now,
        b.reading(),
        new EventBody.Start("2", HlcTimestamp.MIN_PACKED, "1", EventBody.Spill.LOST));
    record("b", now + 200_000, b.reading(), new EventBody.Heartbeat());
    events.forEach(alignment::record);
    assertThat(alignment.offsets().offset("b", HlcTimestamp.pack(now + 200_000)).flatMap(this::low))
        .isNotPresent();
  }

  private void record(String node, long micros, long physical, EventBody body) {
    events.add(new Event(node, "", HlcTimestamp.pack(micros), physical, 0, Set.of(), body));
  }

  private Optional<Long> low(Offset offset) {
    return offset.lowMicros().isPresent() && offset.lowMicros().getAsLong() > 65_000
        ? Optional.of(offset.lowMicros().getAsLong())
        : Optional.empty();
  }

  @Test
  void record_clampedReceive_isNoEvidence() {
    talk(20, false);
    long clamped = HlcTimestamp.pack(b.reading() + 60_000_000);
    events.add(
        new Event(
            "b",
            "net",
            clamped,
            b.reading(),
            0,
            Set.of(EventMark.UNORDERED),
            new EventBody.Receive("x", "far")));
    events.forEach(alignment::record);
    Offset after = alignment.offsets().offset("b", events.get(50).hlc()).orElseThrow();
    assertThat(after.lowMicros().getAsLong()).isLessThanOrEqualTo(40_000);
  }

  @Test
  void alignment_driftingClock_showsItsRateWithinItsUncertainty() {
    drift(600);
    events.forEach(alignment::record);
    double seconds = (trueMicros - START) / 1e6;
    NodeAlignment.Drift drift = alignment.offsets().alignment().get(2).drift().orElseThrow();
    assertThat(drift.uncertaintyPpm()).isBetween(1.0, 50.0);
    assertThat(drift.ppm()).isCloseTo(6_000 / seconds, within(drift.uncertaintyPpm()));
    assertThat(drift.ppm()).isCloseTo(6_000 / seconds, within(5.0));
  }

  @Test
  void alignment_tooLittleTime_leavesTheRateUnknown() {
    // In 2.5 s, delays of 2 ms leave an uncertainty of more than 50 ppm.
    drift(10);
    events.forEach(alignment::record);
    assertThat(alignment.offsets().alignment()).allMatch(node -> node.drift().isEmpty());
  }

  @Test
  void alignment_onlyStampsCarried_leavesTheRateUnknown() {
    for (int i = 0; i < 100; i++) {
      talk(1, false);
      trueMicros += 500_000;
    }
    events.forEach(alignment::record);
    assertThat(alignment.offsets().alignment()).allMatch(node -> node.drift().isEmpty());
  }

  @Test
  void offsets_whileAnotherThreadAddsEvents_areThereWithoutItsLock() throws Exception {
    talk(10, true);
    events.forEach(alignment::record);
    ClockOffsets known = alignment.offsets();
    synchronized (alignment) {
      assertThat(CompletableFuture.supplyAsync(alignment::offsets).get(60, TimeUnit.SECONDS))
          .isSameAs(known);
    }
  }

  @Test
  void offsets_afterMoreEvents_areThoseOfAllEvents() {
    ClockOffsets none = alignment.offsets();
    assertThat(none.referenceNode()).isEmpty();
    talk(1, true);
    events.forEach(alignment::record);
    ClockOffsets first = alignment.offsets();
    assertThat(first.referenceNode()).contains("a");
    alignment.record(EventBlock.of(events));
    ClockOffsets second = alignment.offsets();
    assertThat(second).isNotSameAs(first);
    alignment.endHistory();
    assertThat(alignment.offsets()).isNotSameAs(second);
  }

  private void drift(int rounds) {
    for (int i = 0; i < rounds; i++) {
      talk(1, true);
      trueMicros += 200_000;
      c.offsetMicros -= 10;
    }
  }

  private static org.assertj.core.data.Offset<Long> within(long micros) {
    return org.assertj.core.data.Offset.offset(micros);
  }

  private static org.assertj.core.data.Offset<Double> within(double ppm) {
    return org.assertj.core.data.Offset.offset(ppm);
  }
}
