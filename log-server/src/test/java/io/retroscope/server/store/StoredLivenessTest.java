// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares AT LIVE NODES over a store, which has the ranges in which a node was seen, with memory,
 * which has each event: over random histories with heartbeats, promises, restarts and silences.
 * {@code -Dretroscope.seed} replays one history.
 */
class StoredLivenessTest {
  private static final int EVENTS = 80;
  private static final int QUESTIONS = 10;
  private static final long[] STEPS = {1, 1, 20_000, 99_999, 100_000, 100_001, 120_000};
  private static final long[] LONG_STEPS = {150_000, 300_000, 700_000, 20_000_000, 61_000_000};
  private static final long[] PROMISES = {0, 40_000, 100_000, 30_000_000};
  private static final long[] IDLE_MICROS = {100_001, 150_000, 1_000_000};

  private static final List<String> QUERIES =
      List.of(
          "SELECT a, NODES FROM t AT LIVE NODES",
          "SELECT a FROM t WHEN MAX(a) > 2 AT LIVE NODES EMIT INTERVALS",
          "SELECT a, NODES FROM t WHEN SPREAD(a) > 2 FOR 200ms AT LIVE NODES",
          "SELECT a FROM t WHEN COUNT(a) < 2 AT LIVE NODES EMIT EDGES",
          "SELECT NODES FROM t WHEN COUNT n IN NODES : (Coalesce(a@n, 0) >= 0) < 2 AT LIVE NODES"
              + " EMIT INTERVALS",
          "SELECT c, NODES FROM u WHEN MAX(c) > 3 AT LIVE NODES EMIT EDGES",
          "SELECT n FROM t FOR EACH NODE n WHEN a@n > 1 AT LIVE NODES EMIT EDGES",
          "SELECT b, Age(b) AS i FROM t AT LIVE NODES");

  @TempDir Path directory;

  @Test
  void rows_atLiveNodes_areThoseOfMemory() {
    compare(2);
  }

  @Test
  @Tag("slow")
  void rows_atLiveNodesOfManyHistories_areThoseOfMemory() {
    compare(Integer.getInteger("retroscope.rounds", 10_000));
  }

  private void compare(int histories) {
    Long one = Long.getLong("retroscope.seed");
    int rows = 0;
    int missing = 0;
    for (long seed = one == null ? 0 : one; seed < (one == null ? histories : one + 1); seed++) {
      Random random = new Random(seed);
      List<Event> events = events(random);
      EventSource memory = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
      try (EventStore store = StoreFixture.open(directory.resolve("s" + seed), 20)) {
        append(store, events, random);
        for (int i = 0; i < QUESTIONS; i++) {
          String query = QUERIES.get(random.nextInt(QUERIES.size())) + time(events, random);
          QueryLimits limits =
              QueryLimits.DEFAULT.withIdleTimeoutMicros(
                  IDLE_MICROS[random.nextInt(IDLE_MICROS.length)]);
          List<String> expected = Answers.rowsOrError(memory, query, limits);
          assertThat(Answers.rowsOrError(() -> store.open(ClockOffsets.UNKNOWN), query, limits))
              .as("-Dretroscope.seed=%d: %s, %d us", seed, query, limits.idleTimeoutMicros())
              .isEqualTo(expected);
          rows += expected.size();
          missing +=
              (int)
                  expected.stream()
                      .filter(
                          row ->
                              row.endsWith(
                                  "SetValue[elements=[StringValue[value=n1]]]], note=Optional.empty]"))
                      .count();
        }
      }
    }
    if (one == null) {
      assertThat(rows).as("rows").isGreaterThan(20 * histories);
      assertThat(missing).as("rows in which n1 alone is missing").isGreaterThan(histories);
    }
  }

  /** Events in the order of their stamps. What a node records after a stop begins with a start. */
  private static List<Event> events(Random random) {
    List<Event> events = new ArrayList<>();
    for (int node = 1; node <= 3; node++) {
      long micros = 1_000_000_000 + random.nextInt(1_000_000);
      boolean isStopped = true;
      int longOneIn = 3 + random.nextInt(30);
      for (int i = 0; i < EVENTS; i++) {
        long[] steps = random.nextInt(longOneIn) == 0 ? LONG_STEPS : STEPS;
        micros += steps[random.nextInt(steps.length)];
        Event event = event("n" + node, HlcTimestamp.pack(micros, random.nextInt(3)), random);
        event = isStopped ? new Event(event.node(), "", event.hlc(), start(i)) : event;
        isStopped = event.body() instanceof EventBody.Stop;
        events.add(event);
      }
    }
    events.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
    return events;
  }

  private static EventBody start(int number) {
    return new EventBody.Start("r" + number, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE);
  }

  /** A write of b, which few queries follow, is as frequent as all other events together. */
  private static Event event(String node, long hlc, Random random) {
    return switch (random.nextInt(20)) {
      case 0 -> new Event(node, "", hlc, new EventBody.Stop());
      case 1, 2, 3 ->
          new Event(node, "", hlc, new Heartbeat(PROMISES[random.nextInt(PROMISES.length)]));
      case 4, 5, 6, 7 -> StoreFixture.set(node, "t", hlc, "a", random.nextInt(6));
      case 8, 9 -> StoreFixture.set(node, "u", hlc, "c", random.nextInt(6));
      default -> StoreFixture.set(node, "t", hlc, "b", random.nextInt(3));
    };
  }

  private static void append(EventStore store, List<Event> events, Random random) {
    int from = 0;
    while (from < events.size()) {
      int to = Math.min(events.size(), from + 1 + random.nextInt(40));
      store.append(StoreFixture.lines(events.subList(from, to))).join();
      from = to;
      if (random.nextInt(4) == 0) {
        store.seal(events.get(random.nextInt(to)).hlc());
      }
    }
  }

  private static String time(List<Event> events, Random random) {
    if (random.nextInt(3) == 0) {
      return "";
    }
    long first = events.get(random.nextInt(events.size())).hlc() + random.nextInt(2);
    long last = events.get(random.nextInt(events.size())).hlc() + random.nextInt(2);
    return " ON TIME %s TO %s"
        .formatted(
            new HlcTimestamp(Math.min(first, last)), new HlcTimestamp(Math.max(first, last)));
  }
}
