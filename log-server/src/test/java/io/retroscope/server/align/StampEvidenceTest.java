// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.ClockOffsets.Driver;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the evidence of stamps alone, if no message was recorded, and of its limits. */
class StampEvidenceTest {
  private static final long START = 1_795_200_000_000_001L;
  private static final EventBody LINE = new EventBody.LogLine("work", Map.of());

  private final ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
  private final Map<String, Long> newest = new HashMap<>();
  private final Machine top = new Machine("top", 40_000);
  private final Machine low = new Machine("low", 0);
  private final Machine lowest = new Machine("lowest", -25_000);
  private final List<Machine> all = List.of(top, low, lowest);
  private long trueMicros = START;

  /** A node whose clock has a constant offset. */
  private final class Machine {
    private final String name;
    private long offsetMicros;
    private final HybridLogicalClock clock;

    Machine(String name, long offsetMicros) {
      this(name, offsetMicros, Long.MAX_VALUE / 4, RemotePolicy.ACCEPT);
    }

    Machine(String name, long offsetMicros, long maxOffsetMicros, RemotePolicy policy) {
      this.name = name;
      this.offsetMicros = offsetMicros;
      clock = new HybridLogicalClock(this::reading, maxOffsetMicros, policy);
    }

    private long reading() {
      return trueMicros + offsetMicros;
    }

    long work() {
      HlcReading reading = new HlcReading();
      clock.tick(reading);
      record(reading, Set.of(), LINE);
      return reading.hlc;
    }

    void hear(long stamp) {
      HlcReading reading = new HlcReading();
      boolean followed = clock.observe(stamp, reading);
      record(reading, followed ? Set.of() : Set.of(EventMark.UNORDERED), LINE);
    }

    void record(HlcReading reading, Set<EventMark> marks, EventBody body) {
      alignment.record(new Event(name, "", reading.hlc, reading.physicalMicros, 0, marks, body));
      newest.put(name, reading.hlc);
    }
  }

  /** Every node sends to every other, within one to three milliseconds; no message is recorded. */
  private void talk(int rounds) {
    Random random = new Random(5);
    for (int i = 0; i < rounds; i++) {
      for (Machine from : all) {
        for (Machine to : all) {
          if (from != to) {
            long stamp = from.work();
            trueMicros += 1_000 + random.nextInt(2_000);
            to.hear(stamp);
            trueMicros += 4_000;
          }
        }
      }
    }
  }

  private Offset offset(Machine machine) {
    return alignment
        .offsets()
        .offset(machine.name, newest.getOrDefault(machine.name, 0L))
        .orElseThrow();
  }

  private void assertLowEnd(Machine machine, long truth) {
    OptionalLong end = offset(machine).lowMicros();
    assertThat(end.orElseThrow()).isBetween(truth - 3_000, truth);
  }

  @Test
  void offsets_noMessageRecorded_missTheTruthByTheFastestWayFromTheDriver() {
    talk(30);
    assertThat(alignment.driverNode()).contains("top");
    assertLowEnd(low, 40_000);
    assertLowEnd(lowest, 65_000);
    assertThat(offset(low).highMicros()).isEmpty();
  }

  @Test
  void offsets_aClockThatNoStampShowsBelowAnother_leavesTheLowerEndsOpen() {
    Machine aloof = new Machine("aloof", 1_000_000);
    talk(10);
    long unused = aloof.work();
    assertThat(offset(low).lowMicros()).isEmpty();
    aloof.hear(top.work());
    trueMicros += 2_000_000;
    // Its own clock is still the highest, so no stamp bounds it from below.
    assertThat(offset(low).lowMicros()).isEmpty();
  }

  @Test
  void offsets_evidenceInSilence_ages() {
    talk(20);
    long before = offset(low).lowMicros().orElseThrow();
    trueMicros += 20_000_000;
    all.forEach(Machine::work);
    long after = offset(low).lowMicros().orElseThrow();
    assertThat(before - after).isBetween(3_900L, 4_200L);
  }

  @Test
  void record_counterThatRanOver_isNoEvidenceOfWhatItCarried() {
    long stamp = top.work();
    low.hear(stamp);
    for (int i = 0; i < 300_000; i++) {
      low.work();
    }
    // 300,000 stamps on one reading have carried 73 microseconds.
    assertThat(HlcTimestamp.micros(newest.getOrDefault("low", 0L)) - HlcTimestamp.micros(stamp))
        .isEqualTo(73);
    assertThat(offset(low).lowMicros().orElseThrow()).isBetween(39_900L, 40_000L);
  }

  @Test
  void record_refusedStamp_isNoEvidence() {
    Machine strict = new Machine("strict", 0, 1_000, RemotePolicy.REFUSE);
    Machine far = new Machine("far", 5_000_000);
    talk(10);
    strict.hear(top.work());
    strict.hear(far.clock.tick());
    assertThat(offset(strict).lowMicros().orElse(0)).isLessThanOrEqualTo(40_000);
  }

  @Test
  void record_clampedStamp_isNoEvidenceNorWhatFollowsFromIt() {
    Machine careful = new Machine("careful", 0, 100_000, RemotePolicy.CLAMP);
    Machine broken = new Machine("broken", 5_000_000);
    talk(10);
    careful.hear(top.work());
    careful.hear(broken.clock.tick());
    low.hear(careful.work());
    lowest.hear(low.work());
    assertLowEnd(low, 40_000);
    assertLowEnd(lowest, 65_000);
  }

  @Test
  void record_floorOfARestart_isNoEvidenceNorWhatFollowsFromIt() {
    talk(10);
    long bound = HlcTimestamp.pack(low.reading() + 300_000);
    long floor = bound + (HybridLogicalClock.LEAD_MICROS << HlcTimestamp.LOGICAL_BITS);
    HlcReading started = new HlcReading();
    low.clock.observe(bound, started);
    low.record(started, Set.of(), new EventBody.Start("2", floor, "1", EventBody.Spill.COMPLETE));
    lowest.hear(low.work());
    assertLowEnd(lowest, 65_000);
    trueMicros += 1_000_000;
    talk(10);
    assertLowEnd(low, 40_000);
    assertLowEnd(lowest, 65_000);
  }

  @Test
  void record_floorLearntOfAfterItsStamps_takesTheirEvidenceBack() {
    talk(10);
    trueMicros += 2_000_000;
    long bound = HlcTimestamp.pack(low.reading() + 300_000);
    long floor = bound + (HybridLogicalClock.LEAD_MICROS << HlcTimestamp.LOGICAL_BITS);
    HlcReading started = new HlcReading();
    low.clock.observe(bound, started);
    lowest.hear(low.clock.tick());
    assertThat(offset(lowest).lowMicros().orElseThrow()).isGreaterThan(65_000);
    low.record(started, Set.of(), new EventBody.Start("2", floor, "1", EventBody.Spill.COMPLETE));
    assertLowEnd(lowest, 65_000);
  }

  @Test
  void record_highestClockSetBack_stampsFromBeforeAreNoEvidence() {
    talk(20);
    top.offsetMicros -= 30_000;
    trueMicros += 5_000;
    long unused = top.work();
    low.hear(top.work());
    Optional<Offset> after = alignment.offsets().offset("low", newest.getOrDefault("low", 0L));
    assertThat(after.map(o -> o.lowMicros().orElse(0)).orElse(0L)).isLessThanOrEqualTo(10_000);
    trueMicros += 100_000;
    talk(20);
    assertLowEnd(low, 10_000);
    assertLowEnd(lowest, 35_000);
  }

  @Test
  void record_firstEventsComeAfterAStepWasFound_countOnTheirSideOfItAlone() {
    talk(20);
    Machine late = new Machine("late", 0);
    HlcReading heard = new HlcReading();
    late.clock.observe(top.work(), heard);
    talk(1);
    top.offsetMicros -= 30_000;
    trueMicros += 5_000;
    long unused = top.work();
    assertThat(alignment.steps()).hasSize(1);
    trueMicros += 1_000_000;
    talk(20);
    late.record(heard, Set.of(), LINE);
    late.hear(top.work());
    assertLowEnd(late, 10_000);
  }

  @Test
  void driverNode_anotherClockBecomesHighest_changesAndSaysSinceWhen() {
    low.offsetMicros = 39_000;
    long overtaken = 0;
    long changed = 0;
    for (int i = 0; i < 600 && changed == 0; i++) {
      talk(1);
      trueMicros += 100_000;
      low.offsetMicros += 20;
      if (overtaken == 0 && low.offsetMicros > top.offsetMicros) {
        assertThat(alignment.driverNode()).contains("top");
        overtaken = trueMicros;
      }
      changed = alignment.driverNode().orElseThrow().equals("low") ? trueMicros : 0;
    }
    long since =
        alignment.offsets().alignment().stream()
            .flatMapToLong(row -> row.driverSinceHlc().stream())
            .findFirst()
            .orElseThrow();
    assertThat(alignment.offsets().drivers())
        .extracting(Driver::node)
        .containsExactly("top", "low");
    assertThat(alignment.offsets().drivers().get(1).sinceHlc()).isEqualTo(since);
    // Stamps show it once its lead exceeds the fastest message's delay.
    assertThat(HlcTimestamp.micros(since)).isBetween(overtaken, changed + low.offsetMicros);
    assertThat(changed - overtaken).isBetween(1_000_000L, 40_000_000L);
  }

  @Test
  void driverNode_silentForTheWindow_isAnother() {
    talk(20);
    for (int i = 0; i < 40; i++) {
      trueMicros += 500_000;
      lowest.hear(low.work());
    }
    assertThat(alignment.driverNode()).contains("low");
  }

  @Test
  void record_threadsOfOneProcess_areOneNodeWhoseLanesNeedNoOffset() {
    // Four threads with one clock that reads whole milliseconds, two of them talking through a
    // queue.
    for (int i = 0; i < 400; i++) {
      HlcReading reading = new HlcReading();
      low.clock.tick(reading);
      reading.physicalMicros -= reading.physicalMicros % 1_000;
      String id = "q" + i / 2;
      EventBody body =
          i % 2 == 0 ? new EventBody.Send("low", id) : new EventBody.Receive("low", id);
      low.record(reading, Set.of(), body);
      trueMicros += 100;
    }
    assertThat(alignment.driverNode()).contains("low");
    assertThat(offset(low)).isEqualTo(new Offset(0, OptionalLong.of(0), OptionalLong.of(0)));
    assertThat(alignment.steps()).isEmpty();
    assertThat(alignment.offsets().alignment()).hasSize(1);
  }
}
