// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.state.CutTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests that a clock which was set back is found, in whichever order its events arrive. */
class ReadingPartsTest {
  private static final long START_MICROS = 1_795_200_000_000_001L;
  private static final long SECOND_MICROS = 1_000_000;

  /** A node whose clock is set back by two seconds after ten of twenty seconds. */
  private static List<Event> setBack() {
    List<Event> events = new ArrayList<>();
    long stamp = 0;
    for (int second = 0; second < 20; second++) {
      long reading = START_MICROS + (second < 10 ? second : second - 2) * SECOND_MICROS;
      stamp = Math.max(stamp + 1, HlcTimestamp.pack(reading));
      events.add(event("l", stamp, reading, new EventBody.LogLine("", Map.of())));
    }
    return events;
  }

  private static Event event(String log, long hlc, long readingMicros, EventBody body) {
    return new Event("c", log, hlc, readingMicros, Event.NO_SEQUENCE, Set.of(), body);
  }

  private static ClockAlignment of(List<Event> events) {
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    events.forEach(alignment::record);
    return alignment;
  }

  /** The events between which the clock may have been set back, by their indexes. */
  private static Set<Integer> doubts(ClockAlignment alignment, List<Event> events) {
    ClockOffsets clocks = alignment.offsets();
    Set<Integer> doubts = new TreeSet<>();
    for (int i = 1; i < events.size(); i++) {
      if (clocks.mayHaveStepped("c", events.get(i - 1).hlc(), events.get(i).hlc())) {
        doubts.add(i);
      }
    }
    return doubts;
  }

  @Test
  void storedEvents_afterNewOnes_showTheStep() {
    List<Event> events = setBack();
    for (int firstNew = 1; firstNew < events.size(); firstNew++) {
      List<Event> arrived = new ArrayList<>(events.subList(firstNew, events.size()));
      arrived.addAll(events.subList(0, firstNew));
      ClockAlignment alignment = of(arrived);
      assertThat(doubts(alignment, events)).as("new from %d", firstNew).containsExactly(10);
      alignment.endHistory();
      alignment.endHistory();
      assertThat(doubts(alignment, events)).as("new from %d", firstNew).containsExactly(10);
      assertThat(alignment.stepCount()).as("new from %d", firstNew).isEqualTo(1);
    }
  }

  @Test
  void duration_acrossAStepInStoredEvents_isNotKnown() {
    List<Event> events = setBack();
    List<Event> arrived = new ArrayList<>(events.subList(18, 20));
    arrived.addAll(events.subList(0, 18));
    ClockOffsets clocks = of(arrived).offsets();
    Event begin = events.get(5);
    Event end = events.get(15);
    assertThat(
            CutTime.durationUncertainty(
                begin.hlc(), CutTime.of(begin, clocks), end.hlc(), CutTime.of(end, clocks)))
        .isEmpty();
  }

  @Test
  void eventsOfTheRunBefore_afterAStart_showTheStep() {
    List<Event> events = setBack();
    List<Event> arrived = new ArrayList<>(events.subList(0, 3));
    Event last = events.get(19);
    EventBody start = new EventBody.Start("r2", HlcTimestamp.MIN_PACKED, "r1", Spill.PENDING);
    arrived.add(event("", last.hlc() + 1, last.physicalMicros() + 1, start));
    arrived.addAll(events.subList(3, 20));
    assertThat(doubts(of(arrived), events)).containsExactly(10);
  }

  @Test
  void parts_inAnyOrder_showEachStep() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      ReadingParts parts = new ReadingParts();
      long[] readings = new long[60];
      List<Integer> cuts = new ArrayList<>(List.of(0, readings.length));
      for (int i = 1; i < readings.length; i++) {
        boolean steps = random.nextInt(20) == 0;
        readings[i] = readings[i - 1] + (steps ? -SECOND_MICROS : 1 + random.nextInt(900_000));
        if (random.nextInt(8) == 0) {
          cuts.add(i);
        }
      }
      Collections.sort(cuts);
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i + 1 < cuts.size(); i++) {
        order.add(i);
      }
      Collections.shuffle(order, random);
      List<ReadingParts.Fall> found = new ArrayList<>();
      for (int part : order) {
        parts.start();
        for (int i = cuts.get(part); i < cuts.get(part + 1); i++) {
          found.addAll(parts.add(HlcTimestamp.pack(i), readings[i], i));
        }
      }
      for (int i = 1; i < readings.length; i++) {
        double before = i - 1;
        double after = i;
        boolean isFound =
            parts.fallBetweenParts(before, after)
                || found.stream().anyMatch(fall -> fall.gap().meets(before, after));
        if (readings[i - 1] - readings[i] >= ReadingParts.LEAST_STEP_MICROS) {
          assertThat(isFound).as("seed %d: before event %d", seed, i).isTrue();
        }
      }
    }
  }
}
