// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class StartedRunsTest {
  private final StartedRuns runs = new StartedRuns("a");

  @Test
  void overlaps_oneRunAfterAnother_areNone() {
    run("1", 0, 5);
    run("2", 6, 9);
    assertThat(runs.overlaps()).isEmpty();
  }

  @Test
  void overlaps_laterRunFirst_areWhereBothWrote() {
    run("2", 2, 7);
    run("1", 0, 5);
    assertThat(runs.overlaps()).containsExactly(overlap(2, 5));
  }

  @Test
  void overlaps_aDelayedEventOfTheRunBefore_areNone() {
    run("1", 0, 4);
    run("2", 6, 9);
    runs.seen(EventKind.LOG_LINE, 5);
    assertThat(runs.overlaps()).isEmpty();
    assertThat(runs.spans()).extracting(span -> span.range().to()).containsExactly(5L, 9L);
  }

  @Test
  void overlaps_aRepeatedStart_continuesItsRun() {
    run("1", 0, 5);
    run("2", 20, 25);
    run("1", 0, 8);
    run("1", 10, 12);
    assertThat(runs.overlaps()).isEmpty();
    run("1", 0, 22);
    assertThat(runs.overlaps()).containsExactly(overlap(20, 22));
  }

  @Test
  void overlaps_eventsBeforeEveryStart_belongToNone() {
    runs.seen(EventKind.STATE_CHANGE, 90);
    run("1", 50, 60);
    runs.seen(EventKind.STATE_CHANGE, 10);
    assertThat(runs.spans()).hasSize(1);
    assertThat(runs.overlaps()).isEmpty();
  }

  @Test
  void overlaps_moreRunsThanAreKept_areNeverOverlooked() {
    for (int i = 0; i < 2 * StartedRuns.MAX_RUNS; i++) {
      run("r" + i, 10L * i, 10L * i + 5);
    }
    assertThat(runs.overlaps()).isEmpty();
    assertThat(runs.spans()).hasSize(StartedRuns.MAX_RUNS);
    run("late", 12, 13);
    assertThat(runs.overlaps()).isNotEmpty();
  }

  @Test
  void unsent_isAfterRunsWithoutAStopBeforeOthers() {
    run("1", 0, 4);
    runs.seen(EventKind.STOP, 5);
    run("2", 10, 15);
    run("3", 20, 25);
    assertThat(runs.unsent()).containsExactly(new Incompleteness.Unsent("a", new HlcRange(15, 20)));
    run("1", 0, 8);
    assertThat(runs.unsent()).as("it goes on after its stop").hasSize(2);
  }

  @Test
  void sortedOverlaps_theStopOfARunThatContinues_areFromTheSecondStart() {
    start("1", 0);
    start("2", 2);
    runs.seen(EventKind.STOP, 5);
    runs.seen(EventKind.STATE_CHANGE, 7);
    assertThat(runs.overlaps()).isEmpty();
    assertThat(runs.sortedOverlaps()).containsExactly(overlap(2, 7));
  }

  @Test
  void sortedOverlaps_stampsThatFall_showNothing() {
    run("1", 0, 4);
    run("2", 2, 5);
    runs.seen(EventKind.STOP, 6);
    runs.seen(EventKind.STATE_CHANGE, 7);
    assertThat(runs.sortedOverlaps()).isEmpty();
  }

  /** Inputs in any order, repeated and divided, show the same overlaps: those of the true runs. */
  @RepeatedTest(200)
  void overlaps_inputsInAnyOrder_areThoseOfTheRuns(RepetitionInfo info) {
    Random random = new Random(info.getCurrentRepetition());
    List<RunSpan> truth = new ArrayList<>();
    List<StartedRuns> inputs = new ArrayList<>();
    long[] starts = random.longs(0, 1_000).distinct().limit(1 + random.nextInt(5)).toArray();
    for (int i = 0; i < starts.length; i++) {
      long to = starts[i] + random.nextInt(200);
      truth.add(new RunSpan("a", "r" + i, new HlcRange(starts[i], to), ""));
      for (int part = 0; part < 1 + random.nextInt(3); part++) {
        StartedRuns input = new StartedRuns("a");
        input.started(starts[i], body("r" + i));
        input.seen(EventKind.STATE_CHANGE, part == 0 ? to : starts[i] + (to - starts[i]) / 2);
        inputs.add(input);
      }
    }
    Collections.shuffle(inputs, random);
    inputs.forEach(input -> input.spans().forEach(runs::add));

    assertThat(runs.overlaps())
        .as("seed %d", info.getCurrentRepetition())
        .isEqualTo(RunSpan.overlaps(truth));
  }

  private void run(String name, long from, long to) {
    start(name, from);
    runs.seen(EventKind.STATE_CHANGE, to);
  }

  private void start(String name, long hlc) {
    runs.started(hlc, body(name));
  }

  private static EventBody.Start body(String name) {
    return new EventBody.Start(name, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.LOST);
  }

  private static Overlap overlap(long from, long to) {
    return new Overlap("a", new HlcRange(from, to), false);
  }
}
