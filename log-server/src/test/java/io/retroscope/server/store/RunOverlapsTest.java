// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunOverlapsTest {
  @TempDir Path directory;
  private EventStore store;

  @BeforeEach
  void open() {
    store = StoreFixture.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void overlaps_restartAboveAllStamps_areNone() {
    run("1", "", 10, 20);
    run("2", "1", 21, 30);
    assertThat(overlaps(HlcRange.ALL)).isEmpty();
  }

  @Test
  void overlaps_restartBelowStampsOfTheRunBefore_areMarkedWhereTheyLie() {
    run("1", "", 10, 50);
    run("2", "1", 40, 90);
    Overlap overlap = new Overlap("a", new HlcRange(hlc(40), hlc(50)), true);
    assertThat(overlaps(HlcRange.ALL)).containsExactly(overlap);
    assertThat(overlaps(new HlcRange(hlc(50), hlc(60)))).containsExactly(overlap);
    assertThat(overlaps(new HlcRange(hlc(51), hlc(60)))).isEmpty();
    close();
    open();
    assertThat(overlaps(HlcRange.ALL)).containsExactly(overlap);
  }

  @Test
  void overlaps_spillOfTheRunBeforeComesAfterTheStart_isNoticed() {
    run("2", "1", 40, 90);
    run("1", "", 10, 50);
    assertThat(overlaps(HlcRange.ALL))
        .containsExactly(new Overlap("a", new HlcRange(hlc(40), hlc(50)), true));
  }

  @Test
  void overlaps_twoProcessesOfOneName_areNoRestart() {
    run("1", "", 10, 50);
    run("2", "", 20, 30);
    run("3", "", 40, 60);
    assertThat(overlaps(HlcRange.ALL))
        .containsExactly(
            new Overlap("a", new HlcRange(hlc(20), hlc(50)), false),
            new Overlap("a", new HlcRange(hlc(40), hlc(50)), false));
  }

  @Test
  void overlaps_restartWithAClockOlderThanTheWholeRunBefore_isOneWithoutItsName() {
    run("1", "", 100, 110);
    run("2", "", 120, 150);
    run("3", "", 10, 50);
    Overlap overlap = new Overlap("a", new HlcRange(hlc(10), hlc(150)), true);
    assertThat(overlaps(HlcRange.ALL)).containsExactly(overlap);
    close();
    open();
    assertThat(overlaps(HlcRange.ALL)).containsExactly(overlap);
  }

  @Test
  void overlaps_earlierRunComesLate_areNone() {
    run("2", "1", 100, 110);
    run("1", "", 10, 50);
    assertThat(overlaps(HlcRange.ALL)).isEmpty();
  }

  @Test
  void overlaps_ofRunsWithoutStarts_areFound() {
    lines("1", 10, 50);
    assertThat(overlaps(HlcRange.ALL)).isEmpty();
    lines("2", 20, 30);
    assertThat(overlaps(HlcRange.ALL))
        .containsExactly(new Overlap("a", new HlcRange(hlc(20), hlc(50)), false));
  }

  @Test
  void reasons_linesOfTwoTestsInAnyOrder_nameTheirOverlap() {
    post(started("one", 10), line(30), line(50));
    post(started("two", 20), line(40), line(70));
    assertThat(startedOverlaps()).containsExactly(new HlcRange(hlc(20), hlc(50)));
    close();
    open();
    assertThat(startedOverlaps()).as("restarted").containsExactly(new HlcRange(hlc(20), hlc(50)));
  }

  @Test
  void reasons_linesOfTheLaterTestFirst_nameTheirOverlap() {
    post(started("two", 20), line(40), line(70));
    post(started("one", 10), line(30), line(50));
    post(started("one", 10), line(30), line(50));
    post(started("two", 20), line(40), line(70));
    assertThat(startedOverlaps()).containsExactly(new HlcRange(hlc(20), hlc(50)));
  }

  @Test
  void reasons_linesThatWereMergedAndPostedAgain_nameTheirOverlap() {
    post(started("one", 10), started("two", 20), line(30), line(40), line(50), line(70));
    assertThat(startedOverlaps()).as("nothing shows it").isEmpty();
    post(started("one", 10), line(30), line(50));
    assertThat(startedOverlaps()).containsExactly(new HlcRange(hlc(20), hlc(50)));
  }

  @Test
  void reasons_sortedLinesWithStops_nameTheirOverlap() {
    Event stop = new Event("a", "", hlc(50), new EventBody.Stop());
    post(started("one", 10), started("two", 20), line(40), stop, line(70));
    assertThat(startedOverlaps()).containsExactly(new HlcRange(hlc(20), hlc(70)));
  }

  @Test
  void reasons_aRestartWithoutAStop_isNamedIfTheNodePromisesHeartbeats() {
    post(started("one", 10), line(20));
    post(started("two", 40), line(50));
    assertThat(ends()).isEmpty();
    post(new Event("a", "", hlc(60), new EventBody.Heartbeat(300)));
    Incompleteness end = new Incompleteness.Unsent("a", new HlcRange(hlc(20), hlc(40)));
    assertThat(ends()).containsExactly(end);
    close();
    open();
    assertThat(ends()).as("restarted").containsExactly(end);
    post(new Event("a", "", hlc(30), new EventBody.Stop()));
    assertThat(ends()).as("the stop came late").isEmpty();
  }

  private List<Incompleteness> ends() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.reasons(HlcRange.ALL);
    }
  }

  @Test
  void reasons_linesOfOneRecording_areNone() {
    post(line(30), line(50));
    post(started("one", 10), line(20), line(30), line(50));
    post(started("three", 80), line(90));
    post(started("two", 60), line(65));
    post(line(95));
    post(started("one", 10), line(20));
    post(line(96));
    assertThat(startedOverlaps()).isEmpty();
  }

  private static Event started(String name, long micros) {
    return new Event(
        "a",
        "",
        hlc(micros),
        new EventBody.Start(name, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE));
  }

  private static Event line(long micros) {
    return set("a", "l", hlc(micros), "x", 1);
  }

  private void post(Event... events) {
    store.append(StoreFixture.lines(events)).join();
  }

  private List<HlcRange> startedOverlaps() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return Stream.concat(
              view.reasons(HlcRange.ALL).stream()
                  .filter(Incompleteness.Overlapping.class::isInstance)
                  .map(Incompleteness::range),
              view.overlaps(HlcRange.ALL).stream().map(Overlap::range))
          .distinct()
          .toList();
    }
  }

  private void lines(String incarnation, long firstMicros, long lastMicros) {
    List<NumberedEvent> lines = new ArrayList<>();
    for (long micros : List.of(firstMicros, lastMicros)) {
      lines.add(new NumberedEvent(1, set("a", "l", hlc(micros), "x", 1).of(incarnation)));
    }
    store.append(new Submission.Lines(lines, List.of(), 0)).join();
  }

  private List<Overlap> overlaps(HlcRange range) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.overlaps(range);
    }
  }

  private void run(String incarnation, String predecessor, long firstMicros, long lastMicros) {
    EventBody.Start body =
        new EventBody.Start(incarnation, HlcTimestamp.MIN_PACKED, predecessor, Spill.COMPLETE);
    Event start = new Event("a", "", hlc(firstMicros), body);
    Event last = set("a", "l", hlc(lastMicros), "x", 1);
    store.append(frames(block(incarnation, 1, hlc(lastMicros), List.of(start, last)))).join();
  }
}
