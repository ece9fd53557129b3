// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares rows with those of memory over many short histories, of which blocks arrive late, before
 * and after earlier ones are sealed, so that zones must not answer for events that came after them.
 * All histories, in pieces that may run one after the other:
 *
 * <pre>mvn test -Pslow -pl log-server -am -Dtest=LateHistoryTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dretroscope.seed=1 -Dretroscope.rounds=100000</pre>
 */
@Timeout(86_400)
class LateHistoryTest {
  /** Those of one store: fewer open more stores, and with more each query finds more logs. */
  private static final int HISTORIES_PER_STORE = 50;

  private static final int PRINT_EVERY = 1_000;
  private static final int NODES = 2;

  private static final List<String> QUERIES =
      List.of(
          "SELECT a, Age(a) AS i FROM %s WHEN MAX(a) > 5",
          "SELECT a, Prev(a) AS i FROM %s WHEN SPREAD(a) > 6",
          "SELECT a FROM %s WHEN MIN(a) < -5 EMIT INTERVALS",
          "SELECT a FROM %s WHEN SPREAD(a) > 5 EMIT INTERVALS",
          "SELECT a, b FROM %s WHEN a@N1 - a@N2 > 5 EMIT EDGES",
          "SELECT a FROM %s WHEN (COUNT n IN NODES : (a@n > 4)) > 0 FOR 20us",
          "SELECT a, b, Changed(b) AS i FROM %s WHEN MAX(a) > 4 AND MIN(b) < 0",
          "SELECT a, b, rare FROM %s WHEN COUNT(a) > 3",
          "SELECT a, b, Age(rare) AS i FROM %s");

  private static final List<String> RESPONSES =
      List.of(
          "SELECT a FROM %s WHEN MAX(a) > 3 THEN MIN(a) < 0 WITHIN 40us",
          "SELECT a FROM %s WHEN MAX(a) > 3 NOT THEN COUNT(rare) > 0 WITHIN 20us EMIT EDGES",
          "SELECT a, b FROM %s WHEN a@N1 > 3 FOR 5us NOT AFTER b@N2 < 0 WITHIN 60us",
          "SELECT x, a FROM %s FOR EACH VALUE x IN a WHEN x > 2 THEN x IN b WITHIN 60us UNLESS x > 5",
          "SELECT n, a@n AS i FROM %s FOR EACH NODE n WHEN a@n > 3 FOR 10us",
          "NEVER SPREAD(a) > 6 FOR 10us FROM %s",
          "ALWAYS MAX(a) > 3 THEN MIN(a) < 1 WITHIN 60us FROM %s");

  @TempDir Path directory;

  @Test
  void rows_ofLateEventsAroundSealing_areThoseOfMemory() {
    compare(15);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyHistoriesOfLateEvents_areThoseOfMemory() {
    compare(Integer.getInteger("retroscope.rounds", 100_000));
  }

  private void compare(int histories) {
    long first = Long.getLong("retroscope.seed", 1);
    Counts counts = new Counts();
    for (long seed = first; seed < first + histories; ) {
      long end = Math.min(first + histories, seed + HISTORIES_PER_STORE);
      try (EventStore store = open(seed)) {
        for (int place = 0; seed < end; seed++, place++) {
          new History(seed, place, store, counts).run();
        }
      }
      if (end % PRINT_EVERY < HISTORIES_PER_STORE || end == first + histories) {
        System.out.printf("histories %d to %d: %s%n", first, end - 1, counts);
      }
    }
    // A seed that was chosen need not show everything.
    if (Long.getLong("retroscope.seed") == null) {
      assertThat(counts.late).as("late blocks").isGreaterThan(histories);
      assertThat(counts.afterSealing).as("blocks below sealed ones").isGreaterThan(histories / 2);
      assertThat(counts.rows).as("rows").isGreaterThan(5L * histories);
      assertThat(counts.answered).as("blocks answered by zones").isGreaterThan(histories / 2);
    }
  }

  /** A store that forces nothing to disk: crashes are the matter of other tests. */
  private EventStore open(long seed) {
    Random random = new Random(~seed);
    SealLimits limits = new SealLimits(20 + random.nextInt(20), 20 + random.nextInt(30), 1_000);
    StoreOptions options =
        new StoreOptions(random.nextBoolean() ? 0 : 1 << 20, MemoryBudget.ofProcess(), 0)
            .sealingBy(limits);
    return EventStore.open(
        directory.resolve("s" + seed), options, () -> NOW_MICROS, Metrics.unread(), database -> {});
  }

  /** What the histories have shown. */
  private static final class Counts {
    private long events;
    private long late;
    private long afterSealing;
    private long sealings;
    private long questions;
    private long rows;
    private long answered;

    @Override
    public String toString() {
      return "%d events, %d late blocks, %d blocks below sealed ones, %d sealings, %d questions, %d rows, %d blocks answered by zones"
          .formatted(events, late, afterSealing, sealings, questions, rows, answered);
    }
  }

  /** A log and nodes of its own in a time of its own. */
  private static final class History {
    private final Random random;
    private final String log;
    private final String what;
    private final long begin;
    private final EventStore store;
    private final Counts counts;
    private final boolean restarts;
    private final List<Event> stored = new ArrayList<>();
    private final long[] values = new long[NODES];
    private long sealedUpTo = Long.MIN_VALUE;

    History(long seed, int place, EventStore store, Counts counts) {
      this.random = new Random(seed);
      this.log = "t" + seed;
      this.what = "-Dretroscope.seed=%d -Dretroscope.rounds=1".formatted(seed);
      this.begin = 1_000_000L * (1 + place);
      this.store = store;
      this.counts = counts;
      this.restarts = random.nextInt(4) == 0;
    }

    void run() {
      for (EncodedFrame frame : arrivals()) {
        store.append(StoreFixture.frames(frame)).join();
        EventBlock block = (EventBlock) frame.content();
        block.events().forEach(stored::add);
        counts.events += block.size();
        counts.afterSealing += block.firstHlc() <= sealedUpTo ? 1 : 0;
        if (random.nextInt(7) == 0) {
          seal(stored.get(random.nextInt(stored.size())).hlc());
        }
        if (random.nextInt(25) == 0) {
          ask();
        }
      }
      ask();
      seal(Long.MAX_VALUE);
      ask();
    }

    private void seal(long horizon) {
      while (store.seal(horizon) > 0) {
        counts.sealings++;
        sealedUpTo = Math.max(sealedUpTo, Math.min(horizon, hlc(begin + 900_000)));
      }
    }

    /** Blocks in the order of their last stamps, except that some are late. */
    private List<EncodedFrame> arrivals() {
      TreeMap<Long, EncodedFrame> byArrival = new TreeMap<>();
      List<List<Event>> open = new ArrayList<>();
      int[] numbers = new int[NODES];
      for (int node = 0; node < NODES; node++) {
        open.add(new ArrayList<>());
      }
      int length = 100 + random.nextInt(150);
      int blockEvents = 1 + random.nextInt(12);
      long micros = begin;
      for (int i = 0; i < length; i++) {
        micros += 1 + random.nextInt(3);
        int node = random.nextInt(NODES);
        List<Event> events = open.get(node);
        events.add(event(node, hlc(micros)));
        if (events.size() > random.nextInt(blockEvents) || i > length - NODES) {
          int number = ++numbers[node];
          boolean isLate = random.nextInt(8) == 0;
          counts.late += isLate ? 1 : 0;
          long arrival = micros + (isLate ? random.nextInt(2 * length) : 0);
          // The log is the run's name: its numbers are its own.
          byArrival.put(
              arrival * NODES + node,
              block(log + "-" + node, number, HlcTimestamp.MIN_PACKED, events));
          events.clear();
        }
      }
      return List.copyOf(byArrival.values());
    }

    private Event event(int node, long hlc) {
      String name = log + "n" + (1 + node);
      int kind = random.nextInt(60);
      if (kind == 0 && restarts) {
        EventBody start =
            new EventBody.Start("r" + hlc, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE);
        return new Event(name, "", hlc, start);
      }
      if (kind == 1) {
        Change unset = new Change(Operation.UNSET, "b", NullValue.NULL);
        return new Event(name, log, hlc, new EventBody.StateChange(List.of(unset)));
      }
      if (kind == 2) {
        return set(name, log, hlc, "rare", random.nextInt(9));
      }
      values[node] += random.nextInt(3) - 1 - Long.signum(values[node]) * (random.nextInt(9) / 8);
      return set(name, log, hlc, random.nextInt(5) == 0 ? "b" : "a", values[node]);
    }

    private void ask() {
      if (stored.isEmpty()) {
        return;
      }
      List<Event> ordered = new ArrayList<>(stored);
      ordered.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
      EventSource memory = new InMemoryEventSource(ordered, ClockOffsets.UNKNOWN);
      EventSource own = () -> store.open(ClockOffsets.UNKNOWN);
      for (List<String> texts : List.of(QUERIES, QUERIES, RESPONSES)) {
        String about = texts.get(random.nextInt(texts.size())).formatted(log);
        // A verdict names a range that begins before the first event of the source.
        boolean isWithin = !about.startsWith("SELECT");
        String query = about.replace("@N", "@" + log + "n") + time(ordered, isWithin);
        List<String> expected = Answers.rowsOrError(memory, query);
        assertThat(Answers.rowsOrError(own, query)).as("%s: %s", what, query).isEqualTo(expected);
        counts.questions++;
        counts.rows += expected.size();
        if (random.nextInt(4) < 2) {
          counts.answered += Answers.answeredByZones(own, query);
        }
      }
    }

    private String time(List<Event> ordered, boolean isWithin) {
      long first = begin - 10;
      long last = begin + 900_000;
      if (isWithin || random.nextInt(3) > 0) {
        first = HlcTimestamp.micros(ordered.get(random.nextInt(ordered.size())).hlc());
        if (random.nextBoolean()) {
          last = HlcTimestamp.micros(ordered.get(random.nextInt(ordered.size())).hlc());
        }
      }
      return " ON TIME %s TO %s"
          .formatted(
              new HlcTimestamp(hlc(Math.min(first, last))),
              new HlcTimestamp(hlc(Math.max(first, last))));
    }
  }
}
