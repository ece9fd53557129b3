// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InMemoryEventSourceTest {
  /** The twelfth node is between the first and the second one in the order of characters. */
  @Test
  void scan_equalStampsOfManyNodes_isABlockInTheOrderOfTheNodesNumbers() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      Change set = new Change(Operation.SET, "r1", Value.of(i));
      events.add(
          new Event(
              "n" + (12 - i % 12),
              "t",
              HlcTimestamp.pack(1_000 + i / 12),
              new StateChange(List.of(set))));
    }
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    Interest interest =
        new Interest() {
          @Override
          public Set<String> logs() {
            return Set.of("t");
          }

          @Override
          public boolean follows(String log, String variable) {
            return true;
          }

          @Override
          public boolean counts(String node) {
            return true;
          }

          @Override
          public boolean usesAges() {
            return false;
          }

          @Override
          public boolean isCancelled() {
            return false;
          }
        };
    ArrivalWindow window =
        source
            .open()
            .scan(interest, new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MAX_PACKED));
    assertThat(window.next()).isTrue();
    assertThat(window.size()).isEqualTo(120);
    assertThat(window.isOfOneBlock()).isTrue();
    for (int i = 0; i < 120; i++) {
      Event event = window.block(i).event(window.row(i));
      assertThat(event.node()).isEqualTo("n" + (1 + i % 12));
    }
  }

  /** The runs of a node follow one another; those of several nodes overlap. */
  @Test
  void scan_runsOfSeveralNodes_areInTheOrderOfStampsNodesAndRuns() {
    for (long seed = 1; seed <= 8; seed++) {
      Random random = new Random(seed);
      int nodes = 1 + random.nextInt(12);
      int stamps = 1 + random.nextInt(2_000);
      int runs = 1 + random.nextInt(3);
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < 8_000; i++) {
        int stamp = random.nextInt(stamps);
        int node = random.nextInt(nodes);
        // A run of which a node has none but its last stamp ends where the next one begins.
        int run = runs * stamp / stamps;
        Event set = set(node, "t", 1_000L + stamp, i);
        events.add(
            node == 0
                ? set
                : new Event(
                    set.node(),
                    "run" + (9 - run) + set.node(),
                    set.log(),
                    set.hlc(),
                    Event.NO_PHYSICAL,
                    Event.NO_SEQUENCE,
                    Set.of(),
                    set.body()));
      }
      List<Event> expected = new ArrayList<>(events);
      expected.sort(
          Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE));
      InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
      List<Event> scanned = new ArrayList<>();
      source.open().scan(Set.of("t"), HlcRange.ALL).forEachRemaining(scanned::add);
      assertThat(scanned).as("seed %d", seed).isEqualTo(expected);
      assertThat(source.blocks())
          .isSortedAccordingTo(Comparator.comparingLong(EventBlock::firstHlc))
          .hasSizeLessThan(10 + 2 * runs * nodes);
    }
  }

  /** A file may name as many runs as it has events, and blocks are filled with memory ahead. */
  @Test
  void blocks_ofVeryManyRunsInTurn_areNotAllFilledAtTheSameTime() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      Event set = set(i % 300, "t", 1_000 + i, i);
      events.add(
          new Event(
              set.node(),
              "run" + set.node(),
              set.log(),
              set.hlc(),
              Event.NO_PHYSICAL,
              Event.NO_SEQUENCE,
              Set.of(),
              set.body()));
    }
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    List<Event> scanned = new ArrayList<>();
    source.open().scan(Set.of("t"), HlcRange.ALL).forEachRemaining(scanned::add);
    assertThat(scanned).isEqualTo(events);
    assertThat(source.blocks()).hasSize(1_200);
    assertThat(new InMemoryEventSource(events.subList(0, 250), ClockOffsets.UNKNOWN).blocks())
        .hasSize(250);
  }

  @Test
  void blocks_ofEqualStamps_doNotOverlapUnlessTheyWouldBeTooLarge() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      events.add(set(i % 7, "t", 1_000 + i / 7, i));
    }
    events.add(new Event("n0", "", HlcTimestamp.pack(5_000), new EventBody.Heartbeat(0)));
    List<EventBlock> blocks = new InMemoryEventSource(events, ClockOffsets.UNKNOWN).blocks();
    assertThat(blocks).hasSizeGreaterThan(8);
    assertThat(blocks.stream().mapToInt(EventBlock::size).sum()).isEqualTo(20_000);
    for (int i = 1; i < blocks.size(); i++) {
      assertThat(blocks.get(i).firstHlc()).isGreaterThan(blocks.get(i - 1).lastHlc());
    }
    for (int i = 0; i < 10_000; i++) {
      events.add(set(i, "t", 500, i));
    }
    assertThat(new InMemoryEventSource(events, ClockOffsets.UNKNOWN).blocks())
        .allMatch(block -> block.size() <= 4_096);
  }

  private static Event set(int node, String log, long micros, long number) {
    Change set = new Change(Operation.SET, "x", Value.of(number));
    return new Event("n" + node, log, HlcTimestamp.pack(micros), new StateChange(List.of(set)));
  }

  private static List<String> rows(InMemoryEventSource source, String query) {
    List<String> rows = new ArrayList<>();
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    engine.run(
        engine.prepare(query + ";"),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            return rows.add(row.values().toString());
          }

          @Override
          public void warning(String message) {}
        });
    return rows;
  }

  /** Whole blocks of another log are between those that matter. */
  @Test
  void rows_ofManyNumbers_areThoseOfALoopAlthoughBlocksArePassedOver() {
    List<Event> events = new ArrayList<>();
    Random random = new Random(20_261_124);
    long[] last = new long[3];
    int far = 0;
    for (int i = 0; i < 200_000; i++) {
      String log = i / 20_000 == 1 ? "other" : "t";
      int node = i % 3;
      long near = Math.max(-30, Math.min(30, last[node] + random.nextInt(3) - 1));
      long number = log.equals("other") ? 1_000_000 + i : near;
      events.add(set(node, log, 1_000 + i, number));
      if (log.equals("t")) {
        last[node] = number;
        boolean areAll = i >= 2;
        far += areAll && max(last) - min(last) > 40 ? 1 : 0;
      }
    }
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    String when = "SELECT x FROM t WHEN COUNT(x) = 3 AND MAX(x) - MIN(x) > ";

    assertThat(far).isBetween(1_000, 179_000);
    assertThat(rows(source, when + 40)).hasSize(far);
    assertThat(rows(source, when + 100_000)).isEmpty();
    String plan = rows(source, "EXPLAIN ANALYZE " + when + 100_000).toString();
    assertThat(plan).containsPattern("cuts: 180000\\b");
    assertThat(plan).containsPattern("blocks answered by their zones: [1-9]");
  }

  /**
   * Stops are in blocks that have nothing else for the query, and some blocks have nothing at all.
   */
  @Test
  void scan_blocksOfOtherLogs_returnsTheRowsOfItsLogAndAllStops() {
    long seed = 20_261_125;
    Random random = new Random(seed);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 60_000; i++) {
      int phase = i / 5_000;
      String log = phase % 3 == 0 ? "t" : "other" + phase;
      events.add(
          phase % 4 == 1 && random.nextInt(500) == 0
              ? new Event("n" + i % 3, "", HlcTimestamp.pack(1_000 + i), new EventBody.Stop())
              : set(i % 3, log, 1_000 + i, i));
    }
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    HlcRange range =
        new HlcRange(HlcTimestamp.pack(1_000 + 3_123), HlcTimestamp.pack(1_000 + 47_777));
    List<Event> expected =
        events.stream()
            .filter(event -> range.contains(event.hlc()))
            .filter(event -> event.log().equals("t") || event.body() instanceof EventBody.Stop)
            .toList();
    List<Event> scanned = new ArrayList<>();
    source.open().scan(Set.of("t"), range).forEachRemaining(scanned::add);

    assertThat(expected).extracting(Event::body).hasAtLeastOneElementOfType(EventBody.Stop.class);
    assertThat(scanned).as("seed %d", seed).isEqualTo(expected);
    assertThat(source.open().mayHold("other1")).isTrue();
    assertThat(source.open().mayHold("other0")).isFalse();
  }

  private static long max(long[] numbers) {
    return Arrays.stream(numbers).max().orElseThrow();
  }

  private static long min(long[] numbers) {
    return Arrays.stream(numbers).min().orElseThrow();
  }
}
