// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.recordings.file.SmallFiles;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares Silence and WriteAge with what follows from the times of a node's events, over events in
 * memory, in a file and in sealed blocks with zones. {@code -Doracle.seed} replays one case.
 */
class SilenceOracleTest {
  private static final int CASES = 40;
  private static final long[] STEPS = {20_000, 90_000, 150_000, 700_000, 4_000_000};

  /** A node that is seen again within this time was not silent. */
  private static final long STAY_MICROS = 100_000;

  @TempDir private Path folder;

  private record Case(long seed, List<Event> events, Random random) {
    static Case of(long seed) {
      Random random = new Random(seed);
      List<Event> events = new ArrayList<>();
      long micros = 1_000_000_000;
      int count = 20 + random.nextInt(120);
      for (int i = 0; i < count; i++) {
        micros += STEPS[random.nextInt(random.nextBoolean() ? 2 : STEPS.length)];
        String node = "n" + (1 + random.nextInt(3));
        events.add(event(node, HlcTimestamp.pack(micros), random));
      }
      return new Case(seed, events, random);
    }

    private static Event event(String node, long hlc, Random random) {
      return switch (random.nextInt(4)) {
        case 0 -> new Event(node, "", hlc, new EventBody.Heartbeat(0));
        case 1 -> new Event(node, "u", hlc, change("z", 1));
        default -> new Event(node, "t", hlc, change("a", random.nextInt(6) == 0 ? 2 : 5));
      };
    }

    private static EventBody change(String variable, long number) {
      return new EventBody.StateChange(List.of(QuietRuleTest.set(variable, Value.of(number))));
    }

    TreeSet<Long> sightings(String node) {
      TreeSet<Long> stamps = new TreeSet<>();
      events.stream().filter(e -> e.node().equals(node)).forEach(e -> stamps.add(e.hlc()));
      return stamps;
    }

    TreeSet<Long> writes(String node) {
      TreeSet<Long> stamps = new TreeSet<>();
      events.stream()
          .filter(e -> e.node().equals(node) && e.log().equals("t"))
          .forEach(e -> stamps.add(e.hlc()));
      return stamps;
    }

    long any() {
      long first = HlcTimestamp.micros(events.get(0).hlc());
      long last = HlcTimestamp.micros(events.get(events.size() - 1).hlc());
      return HlcTimestamp.pack(first + (long) (random.nextDouble() * (last - first)));
    }
  }

  @Test
  void rows_areThoseOfTheTimesOfEvents() throws IOException {
    Long one = Long.getLong("oracle.seed");
    int found = 0;
    for (long seed = one == null ? 0 : one; seed < (one == null ? CASES : one + 1); seed++) {
      Case some = Case.of(seed);
      Path file = folder.resolve("events.rtsf");
      EventSource memory = OracleTest.source(some.events);
      try (SealedFileSource sealed =
          SmallFiles.source(file, some.events, 1 + some.random.nextInt(20), 30)) {
        for (int i = 0; i < 4; i++) {
          found += checkIntervals(some, List.of(memory, sealed));
          checkInstant(
              some, List.of(memory, sealed, new SealedSource(memory, some.events, some.random)));
        }
      }
      Files.delete(file);
    }
    assertThat(found).as("silences").isPositive();
  }

  private static int checkIntervals(Case some, List<EventSource> sources) {
    String node = "n" + (1 + some.random.nextInt(3));
    long limit = new long[] {50_000, 200_000, 1_000_000}[some.random.nextInt(3)];
    long from = some.any();
    long to = Math.max(from, some.any());
    if (some.random.nextInt(3) == 0) {
      from = some.events.get(0).hlc();
      to = some.events.get(some.events.size() - 1).hlc();
    }
    List<List<Long>> expected = silences(some, node, limit, from, to);
    String query =
        "SELECT NODES AS n FROM t ON TIME hlc'%s' TO hlc'%s' WHEN EXISTS x IN NODES : (x = '%s' AND Silence(a)@x > %dus) EMIT INTERVALS;"
            .formatted(HlcTimestamp.text(from), HlcTimestamp.text(to), node, limit);
    for (EventSource source : sources) {
      List<List<Long>> rows = new ArrayList<>();
      for (NaiveQuery.NaiveRow row : rows(source, query)) {
        rows.add(List.of(row.hlc(), ((TimestampValue) row.values().get(0)).packed()));
      }
      assertThat(rows).as("-Doracle.seed=%d: %s", some.seed, query).isEqualTo(expected);
    }
    return expected.size();
  }

  /** The begins and ends of the silences of a node in a range, as far as it has a value. */
  private static List<List<Long>> silences(Case some, String node, long limit, long from, long to) {
    List<List<Long>> expected = new ArrayList<>();
    TreeSet<Long> writes = some.writes(node);
    for (long seen : some.sightings(node)) {
      Long next = some.sightings(node).higher(seen);
      long gap =
          next == null ? Long.MAX_VALUE : HlcTimestamp.micros(next) - HlcTimestamp.micros(seen);
      if (gap > STAY_MICROS && gap > limit && !writes.isEmpty() && writes.first() <= seen) {
        long begin = Math.max(from, HlcTimestamp.pack(HlcTimestamp.micros(seen) + limit + 1));
        long end = next == null ? to : Math.min(to, next);
        boolean isIn = begin <= to && (next == null || next > from);
        if (isIn) {
          expected.add(List.of(begin, end));
        }
      }
    }
    return expected;
  }

  private static void checkInstant(Case some, List<EventSource> sources) {
    long hlc = some.any();
    String query =
        "SELECT WriteAge(a)@n1 AS w, MAX(WriteAge(a)) AS m, Silence(a)@n2 AS s FROM t ON TIME hlc'%s';"
            .formatted(HlcTimestamp.text(hlc));
    List<Value> expected = new ArrayList<>();
    expected.add(since(some.writes("n1").floor(hlc), hlc));
    Value most = NullValue.NULL;
    for (String node : List.of("n1", "n2", "n3")) {
      Value age = since(some.writes(node).floor(hlc), hlc);
      most = age.compareTo(most) > 0 || most instanceof NullValue ? age : most;
    }
    expected.add(most);
    expected.add(silence(some, "n2", hlc));
    for (EventSource source : sources) {
      assertThat(rows(source, query).get(0).values())
          .as("-Doracle.seed=%d: %s", some.seed, query)
          .isEqualTo(expected);
    }
  }

  private static Value silence(Case some, String node, long hlc) {
    Long last = some.sightings(node).floor(hlc);
    Long next = some.sightings(node).higher(hlc);
    if (last == null || some.writes(node).floor(hlc) == null) {
      return NullValue.NULL;
    }
    boolean isSeen =
        next != null && HlcTimestamp.micros(next) - HlcTimestamp.micros(last) <= STAY_MICROS;
    return isSeen ? new DurationValue(0) : since(last, hlc);
  }

  private static Value since(Long begin, long hlc) {
    return begin == null
        ? NullValue.NULL
        : new DurationValue(HlcTimestamp.micros(hlc) - HlcTimestamp.micros(begin));
  }

  private static List<NaiveQuery.NaiveRow> rows(EventSource source, String query) {
    OracleTest.Result result = new OracleTest.Result(query);
    QueryEngine engine = new QueryEngine(source, OracleTest.LIMITS);
    engine.run(engine.prepare(query), result);
    return result.rows();
  }
}
