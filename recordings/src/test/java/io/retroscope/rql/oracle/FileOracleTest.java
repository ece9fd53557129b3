// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.recordings.file.SmallFiles;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.oracle.OracleTest.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares queries over events in memory with those over a file of blocks with the same events, in
 * random order. {@code -Doracle.seed} replays one case.
 */
class FileOracleTest {
  /**
   * A file has the ranges in which a node was never silent for 100 ms, so the time after which a
   * node counts as silent must be longer. Half of the logs have times between their events that are
   * about as long.
   */
  static final QueryLimits LIMITS = new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, 360_000);

  private static final long STRETCH = 40_000;

  @TempDir private Path folder;

  @Test
  void rows_overAFile_areThoseOverMemory() throws IOException {
    compare(120);
  }

  @Test
  @Tag("slow")
  void rows_overVeryManyFiles_areThoseOverMemory() throws IOException {
    compare(40_000);
  }

  private void compare(int cases) throws IOException {
    Long one = Long.getLong("oracle.seed");
    int answered = 0;
    for (long seed = one == null ? 0 : one; seed < (one == null ? cases : one + 1); seed++) {
      Random random = new Random(seed);
      List<Event> events = decorated(new RandomLog(random).events(), random);
      List<Event> shuffled = late(events, random);
      Path file = folder.resolve("events.rtsf");
      String what = "-Doracle.seed=%d".formatted(seed);
      try (SealedFileSource source =
          SmallFiles.source(
              file, shuffled, 1 + random.nextInt(20), 1 + random.nextInt(events.size()))) {
        EventSource memory = OracleTest.source(events);
        compareViews(memory, source, what);
        for (int i = 0; i < 4; i++) {
          String text = new RandomQuery(random).text(false);
          answered += compare(memory, source, text, what + ": " + text);
        }
      }
      assertThat(folder).as(what).isDirectoryNotContaining("glob:**.runs");
      Files.delete(file);
    }
    assertThat(answered)
        .as("queries that passed the analyzer")
        .isGreaterThanOrEqualTo(one == null ? cases : 0);
  }

  /** Gives events incarnations, sequence numbers with gaps, and heartbeats promises. */
  static List<Event> decorated(List<Event> events, Random random) {
    Map<String, Long> numbers = new HashMap<>();
    boolean named = random.nextBoolean();
    long stretch = random.nextBoolean() ? STRETCH : 1;
    List<Event> decorated = new ArrayList<>();
    for (Event event : events) {
      boolean isHeartbeat = event.body() instanceof EventBody.Heartbeat;
      String run = named ? "r" + random.nextInt(2) : "";
      long number =
          numbers.merge(event.node() + run, 1L + (random.nextInt(15) == 0 ? 3 : 0), Long::sum);
      decorated.add(
          new Event(
              event.node(),
              run,
              event.log(),
              stretched(event.hlc(), stretch),
              HlcTimestamp.micros(event.hlc()) - random.nextInt(3),
              isHeartbeat || random.nextInt(9) == 0 ? Event.NO_SEQUENCE : number,
              Set.of(),
              isHeartbeat && random.nextBoolean()
                  ? new EventBody.Heartbeat(1 + random.nextInt((int) (5 * stretch)))
                  : event.body()));
    }
    return decorated;
  }

  private static long stretched(long hlc, long stretch) {
    long micros = 1_000 + (HlcTimestamp.micros(hlc) - 1_000) * stretch;
    return HlcTimestamp.pack(micros, HlcTimestamp.logical(hlc));
  }

  /** The events in the order in which they arrive, some late. */
  private static List<Event> late(List<Event> events, Random random) {
    int by = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(events.size());
    List<Event> order = new ArrayList<>();
    for (Event event : events) {
      int at = Math.max(0, order.size() - (by == 0 ? 0 : random.nextInt(by)));
      order.add(at, event);
    }
    return order;
  }

  private static void compareViews(EventSource memory, EventSource file, String what) {
    try (EventSource.View expected = memory.open();
        EventSource.View actual = file.open()) {
      assertThat(actual.logs()).as(what).isEqualTo(expected.logs());
      assertThat(actual.nodes()).as(what).isEqualTo(expected.nodes());
      assertThat(actual.extent()).as(what).isEqualTo(expected.extent());
      assertThat(actual.arrivals()).as(what).isEqualTo(expected.arrivals());
      assertThat(actual.overlaps(HlcRange.ALL)).as(what).isEqualTo(expected.overlaps(HlcRange.ALL));
      assertThat(actual.gaps(HlcRange.ALL)).as(what).isEqualTo(expected.gaps(HlcRange.ALL));
      assertThat(stays(actual)).as(what).isEqualTo(stays(expected));
      List<Event> all = new ArrayList<>();
      actual.scan(Set.of("t"), HlcRange.ALL).forEachRemaining(all::add);
      List<Event> known = new ArrayList<>();
      expected.scan(Set.of("t"), HlcRange.ALL).forEachRemaining(known::add);
      assertThat(all).as(what).isEqualTo(known);
    }
  }

  private static List<Object> stays(EventSource.View view) {
    List<Object> stays = new ArrayList<>();
    for (Presence presence : view.presences()) {
      stays.add(presence.node());
      presence.from(HlcTimestamp.MIN_PACKED).forEachRemaining(stays::add);
    }
    return stays;
  }

  /** Returns 1 if the query was run. */
  private static int compare(EventSource memory, EventSource file, String text, String what) {
    try {
      new QueryEngine(memory, LIMITS).prepare(text);
    } catch (RqlException e) {
      return 0;
    }
    assertThat(answer(file, text)).as(what).isEqualTo(answer(memory, text));
    return 1;
  }

  /** The rows, then the warnings, then the error. */
  private static List<String> answer(EventSource source, String text) {
    Result result = new Result(text);
    List<String> answer = new ArrayList<>();
    try {
      QueryEngine engine = new QueryEngine(source, LIMITS);
      engine.run(engine.prepare(text), result);
    } catch (RqlException e) {
      answer.add("error: " + e.getMessage());
    }
    answer.addAll(0, OracleTest.printed(result.rows(), true));
    answer.addAll(result.warnings());
    return answer;
  }
}
